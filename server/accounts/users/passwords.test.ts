import { expect, it } from 'vitest';
import { hashPassword, isPassword } from './passwords.ts';

it('a password is kept as costly as OWASP recommends, with a salt of its own', async () => {
  const [one, other] = await Promise.all([hashPassword('secret'), hashPassword('secret')]);
  for (const hash of [one, other]) expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(one).not.toBe(other);
  expect(await isPassword(one, 'secret')).toBe(true);
  expect(await isPassword(one, 'Secret')).toBe(false);
  expect(await isPassword(null, 'secret')).toBe(false);
});
