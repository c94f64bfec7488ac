import { expect, it } from 'vitest';
import { loggedError } from './log.ts';

it('the log says what happened and where, and contains neither the connection nor the rejected row', () => {
  const refused = Object.assign(new Error('duplicate key value violates unique constraint'), {
    code: '23505',
    detail: 'Key (email_key)=(vera@example.com) already exists.',
    client: { secretKey: 4711 },
  });
  const logged = loggedError(new Error('Not saved', { cause: refused }));
  expect(logged).toMatchObject({ message: 'Not saved', cause: { message: refused.message, code: '23505' } });
  expect(JSON.stringify(logged)).not.toMatch(/vera|4711/);
});
