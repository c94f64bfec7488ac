import type { Session } from '#contract/account-data.ts';
import { notFound } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import { endOneSession, endOtherSessions, openSessions } from './sessions.ts';

/** The calling account and session. */
export interface Caller {
  id: string;
  sessionId: string;
}

/** Another account's id answers 404. @throws AppError `not_found` */
export function requireSelf(user: Caller, id: string): void {
  if (user.id !== id) throw notFound('This account');
}

export async function listSessions(services: Services, user: Caller, id: string): Promise<Session[]> {
  requireSelf(user, id);
  const rows = await openSessions(services.database.global, id, services.clock.now());
  return rows.map((row) => ({
    id: row.id,
    is_current: row.id === user.sessionId,
    started_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at.toISOString(),
    browser: row.browser,
    system: row.system,
  }));
}

/** @throws AppError `not_found` */
export async function endSessionOf(
  services: Services,
  user: Caller,
  id: string,
  sessionId: string,
): Promise<void> {
  requireSelf(user, id);
  const ended = await endOneSession(services.database.global, id, sessionId, services.clock.now());
  if (!ended) throw notFound('This session');
}

export async function endOthers(services: Services, user: Caller, id: string): Promise<void> {
  requireSelf(user, id);
  await endOtherSessions(services.database.global, id, user.sessionId, services.clock.now());
}
