import { expect, it } from 'vitest';
import { oauthReturnOf } from './oauth-return.logic.ts';

const at = (search: string, pathname = '/integrations/connected') => oauthReturnOf({ pathname, search });

it('a login’s code is read as it came, even where it looks like a number', () => {
  expect(at('?code=12345e67&state=s')).toEqual({ code: '12345e67', state: 's' });
  expect(at('?state=a.b-c_d&code=4%2F0Ab%3D')).toEqual({ code: '4/0Ab=', state: 'a.b-c_d' });
});

it('a login’s refusal is cut to the length that the server accepts', () => {
  expect(at('?error=access_denied&state=s')).toEqual({ error: 'access_denied', state: 's' });
  expect(at(`?error=${'x'.repeat(300)}&state=s`)?.error).toHaveLength(200);
});

it('a login’s return is ignored without a state, without both others, or on another page', () => {
  expect(at('')).toBeNull();
  expect(at('?code=1')).toBeNull();
  expect(at('?state=s')).toBeNull();
  expect(at('?code=1&state=s', '/actions')).toBeNull();
});
