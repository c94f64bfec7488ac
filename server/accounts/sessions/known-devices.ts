import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Services } from '#server/platform/services.ts';

/*
 * A browser that logged in to an account gets an encrypted cookie that says so. It grants no access: it gives the
 * browser its own limit for wrong passwords, and tells known devices from new ones.
 */

const PURPOSE = 'known-device';

/** For people who share a browser; the least recent log-in is dropped first. */
const MAX_ACCOUNTS = 5;

/** The longest that browsers keep a cookie. */
const MAX_AGE_SECONDS = 400 * 86_400;

const content = z.object({ id: z.string(), accounts: z.array(z.string()) });

export type Device = z.infer<typeof content>;

type Sealing = Pick<Services, 'config' | 'keyring'>;

function isSecure({ config }: Pick<Services, 'config'>): boolean {
  return config.appUrl.startsWith('https:');
}

function cookieName(services: Pick<Services, 'config'>): string {
  return isSecure(services) ? '__Host-sayso_device' : 'sayso_device';
}

/** The device in a `Cookie` header; null without a cookie of ours. */
export function readDevice(services: Sealing, header: string | undefined): Device | null {
  const name = `${cookieName(services)}=`;
  const value = header
    ?.split(';')
    .map((one) => one.trim())
    .find((one) => one.startsWith(name))
    ?.slice(name.length);
  if (value === undefined) return null;
  const plain = services.keyring.open(PURPOSE, value);
  return plain === null ? null : content.parse(JSON.parse(plain.toString('utf8')));
}

export function knowsAccount(device: Device | null, userId: string): device is Device {
  return device?.accounts.includes(userId) === true;
}

/** The `Set-Cookie` header that makes this device known to the account. */
export function deviceCookie(services: Sealing, device: Device | null, userId: string): string {
  const others = device?.accounts.filter((id) => id !== userId) ?? [];
  const known: Device = {
    id: device?.id ?? randomBytes(16).toString('base64url'),
    accounts: [userId, ...others].slice(0, MAX_ACCOUNTS),
  };
  const value = services.keyring.seal(PURPOSE, Buffer.from(JSON.stringify(known)));
  const attributes = ['Path=/', `Max-Age=${MAX_AGE_SECONDS}`, 'HttpOnly', 'SameSite=Strict'];
  if (isSecure(services)) attributes.push('Secure');
  return [`${cookieName(services)}=${value}`, ...attributes].join('; ');
}
