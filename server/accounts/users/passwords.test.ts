import { hash } from '@node-rs/argon2';
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

it('passwords that are compared at once wait in a line that ends, and the next one is compared as usual', async () => {
  const quick = await hash('secret', { memoryCost: 8, timeCost: 1 });
  const compared = await Promise.allSettled(Array.from({ length: 500 }, () => isPassword(quick, 'secret')));
  const refused = compared.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  expect(refused.length).toBeGreaterThan(200);
  expect(refused.length).toBeLessThan(400);
  for (const reason of refused) {
    expect(reason).toMatchObject({ code: 'unavailable', status: 503, retryAfterSeconds: 5 });
  }
  expect(compared.every((one) => one.status === 'rejected' || one.value)).toBe(true);
  expect(await isPassword(quick, 'secret')).toBe(true);
});
