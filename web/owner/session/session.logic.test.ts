import { expect, it } from 'vitest';
import { parseAuth, tokensFrom } from './session.logic.ts';

const auth = { id: '1', organization: 'None', token: 'a', refresh: 'r' };

it('the tokens are read in either spelling (spec 89)', () => {
  expect(
    tokensFrom({ user_id: '1', organization_id: 'None', access_token: 'a', refresh_token: 'r' }),
  ).toEqual(auth);
  expect(tokensFrom({ user_id: '1', organization_id: 'None', access: 'a', refresh: 'r' })).toEqual(auth);
});

it('a response without a token gives no session (spec 96)', () => {
  expect(tokensFrom({ user_id: '1', organization_id: 'None' })).toBeNull();
});

it('the stored session is read back, and a corrupt entry counts as logged out', () => {
  expect(parseAuth(JSON.stringify(auth))).toEqual(auth);
  for (const raw of [null, '', '{', 'null', '{"id":"1"}', JSON.stringify({ ...auth, token: '' })]) {
    expect(parseAuth(raw)).toBeNull();
  }
});
