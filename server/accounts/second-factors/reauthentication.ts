import type { RouteResponse } from '#contract/route.ts';
import {
  RECENT_MINUTES,
  type SecondFactorWay,
  type startReauthentication as startRoute,
} from '#contract/second-factors.ts';
import { lastProof, recordProof } from '#server/accounts/sessions/sessions.ts';
import { findUser, type UserRow } from '#server/accounts/users/users.sql.ts';
import { isPassword } from '#server/accounts/users/passwords.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import { AppError, invalidField, notFound } from '#server/platform/errors.ts';
import type { Limit } from '#server/platform/request-limits.ts';
import type { Services } from '#server/platform/services.ts';
import {
  factorsOf,
  type FactorResponse,
  factorOptionsOf,
  prepareVerification,
  notifyOfFactorUse,
} from './verify-factor.ts';
import { newChallenge, openTicket, sealTicket, consumeTicket, ticketExpired } from './tickets.ts';

/** Keeps a hijacked session from guessing passwords. */
const TRIES: Limit = { name: 'reauthentication', points: 10, perSeconds: 900 };

export interface Caller {
  id: string;
  sessionId: string;
}

function recentUntil(proof: Date): Date {
  return new Date(proof.getTime() + RECENT_MINUTES * 60_000);
}

async function isRecent(services: Services, tx: GlobalDb, { sessionId }: Caller): Promise<boolean> {
  return recentUntil(await lastProof(tx, sessionId)) >= services.clock.now();
}

/** @throws AppError `reauthentication_required` */
export async function requireRecentProof(services: Services, tx: GlobalDb, caller: Caller): Promise<void> {
  if (await isRecent(services, tx, caller)) return;
  throw new AppError(
    'reauthentication_required',
    "Confirm it's you with your password or a second factor, then repeat this within 10 minutes.",
  );
}

async function requireUser(services: Services, id: string): Promise<UserRow> {
  const user = await findUser(services.database.global, id);
  if (user === undefined) throw notFound('This account');
  return user;
}

/** The most convenient one first; recovery codes last, because they should be saved for emergencies. */
function waysOf(user: UserRow, factors: readonly SecondFactorWay[]): ('password' | SecondFactorWay)[] {
  const codes = factors.filter((way) => way === 'recovery_code');
  const others = factors.filter((way) => way !== 'recovery_code');
  return [...others, ...(user.password_hash === null ? [] : (['password'] as const)), ...codes];
}

export async function startReauthentication(
  services: Services,
  caller: Caller,
): Promise<RouteResponse<typeof startRoute>> {
  const { global } = services.database;
  const user = await requireUser(services, caller.id);
  const challenge = newChallenge();
  const offer = await factorOptionsOf(services, await factorsOf(global, user.id), challenge);
  const { ticket } = sealTicket(services, 'reauthentication-ticket', {
    user: user.id,
    session: caller.sessionId,
    ways: offer.ways,
    challenge,
  });
  return {
    is_recent: await isRecent(services, global, caller),
    ways: waysOf(user, offer.ways),
    ticket,
    passkey: offer.passkey,
  };
}

type Shown = { way: 'password'; password: string } | ({ ticket: string } & FactorResponse);

/** @throws AppError `invalid_field`, `link_used`, `rate_limited` */
export async function reauthenticate(services: Services, caller: Caller, shown: Shown): Promise<Date> {
  await services.limits.use(TRIES, caller.id);
  const until = await (shown.way === 'password'
    ? byPassword(services, caller, shown.password)
    : byFactor(services, caller, shown));
  await services.limits.giveBack(TRIES, caller.id);
  return until;
}

async function byPassword(services: Services, caller: Caller, password: string): Promise<Date> {
  const user = await requireUser(services, caller.id);
  if (!(await isPassword(user.password_hash, password))) {
    throw invalidField('password', "password: this isn't your password.");
  }
  const now = services.clock.now();
  await recordProof(services.database.global, caller.sessionId, now);
  return recentUntil(now);
}

async function byFactor(
  services: Services,
  caller: Caller,
  { ticket: sealed, ...given }: { ticket: string } & FactorResponse,
): Promise<Date> {
  const ticket = openTicket(services, 'reauthentication-ticket', sealed);
  if (ticket.user !== caller.id || ticket.session !== caller.sessionId) throw ticketExpired();
  const prove = await prepareVerification(services, caller.id, given, ticket.challenge);
  const user = await requireUser(services, caller.id);
  const now = services.clock.now();
  const proof = await services.database.inTransaction(async (tx) => {
    const found = await prove(tx);
    if (found.kind !== 'right') return found;
    await consumeTicket(services, tx, ticket);
    await recordProof(tx, caller.sessionId, now);
    return found;
  });
  notifyOfFactorUse(services, user, proof);
  if (proof.kind === 'right') return recentUntil(now);
  const field = given.way === 'passkey' ? 'assertion' : 'code';
  throw invalidField(field, `${field}: this is wrong or was already used. Try again, or use another one.`);
}
