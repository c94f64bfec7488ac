import { nameKey } from '#server/accounts/users/account-names.ts';
import { networkOf } from '#server/platform/client-network.ts';
import type { Limit } from '#server/platform/request-limits.ts';
import { sha256 } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { type Device, knowsAccount } from './known-devices.ts';

const MINUTES_15 = 900;

/** All unknown devices share ten wrong passwords per account; each known one has ten of its own. */
const TRIES_OF_ACCOUNT: Limit = { name: 'login-name', points: 10, perSeconds: MINUTES_15 };
const TRIES_OF_DEVICE: Limit = { name: 'login-device', points: 10, perSeconds: MINUTES_15 };
const TRIES_OF_NETWORK: Limit = { name: 'login-ip', points: 100, perSeconds: MINUTES_15 };

/** Six digits withstand fewer guesses than a password, so there is a daily limit as well. */
const FACTORS_OF_ACCOUNT: Limit = { name: 'second-factor', points: 10, perSeconds: MINUTES_15 };
const FACTORS_OF_DEVICE: Limit = { name: 'second-factor-device', points: 10, perSeconds: MINUTES_15 };
const FACTORS_A_DAY: Limit = { name: 'second-factor-day', points: 30, perSeconds: 86_400 };

/** The origin of a log-in attempt. */
export interface LoginOrigin {
  ip: string;
  userAgent: string | undefined;
  device: Device | null;
}

type Use = readonly [Limit, string];

async function count({ limits }: Services, uses: readonly Use[]): Promise<() => Promise<void>> {
  for (const [limit, key] of uses) await limits.use(limit, key);
  return async () => {
    await Promise.all(uses.map(([limit, key]) => limits.giveBack(limit, key)));
  };
}

function usesOf(origin: LoginOrigin, userId: string | undefined, name: string): Use[] {
  const { device } = origin;
  // Attackers cannot lock out a device that has logged in before.
  if (userId !== undefined && knowsAccount(device, userId)) {
    return [[TRIES_OF_DEVICE, `${device.id}:${userId}`]];
  }
  // Username and email of an account share its counter. An unknown name gets one too, so that it is not told apart.
  const account = userId ?? sha256(nameKey(name)).toString('base64url');
  return [
    [TRIES_OF_NETWORK, networkOf(origin.ip)],
    [TRIES_OF_ACCOUNT, account],
  ];
}

/**
 * Counts a password attempt, before the password is compared.
 * @param userId of the account with this name, if it exists
 * @returns undoes the count, to be called if the password was right: only wrong ones count
 * @throws AppError `rate_limited`
 */
export function countPasswordAttempt(
  services: Services,
  origin: LoginOrigin,
  userId: string | undefined,
  name: string,
): Promise<() => Promise<void>> {
  return count(services, usesOf(origin, userId, name));
}

/** The same for a second factor. */
export function countSecondFactorAttempt(
  services: Services,
  origin: LoginOrigin,
  userId: string,
): Promise<() => Promise<void>> {
  const { device } = origin;
  if (knowsAccount(device, userId)) {
    const key = `${device.id}:${userId}`;
    return count(services, [
      [FACTORS_OF_DEVICE, key],
      [FACTORS_A_DAY, key],
    ]);
  }
  return count(services, [
    [TRIES_OF_NETWORK, networkOf(origin.ip)],
    [FACTORS_OF_ACCOUNT, userId],
    [FACTORS_A_DAY, userId],
  ]);
}

/** The same for log-ins without a password. */
export function countNetworkAttempt(services: Services, { ip }: LoginOrigin): Promise<() => Promise<void>> {
  return count(services, [[TRIES_OF_NETWORK, networkOf(ip)]]);
}
