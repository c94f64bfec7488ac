import { deleteOldRefreshTokens, deleteOldSessions } from '#server/accounts/sessions/sessions.ts';
import { deleteExpiredPasswordLinks } from '#server/accounts/users/users.sql.ts';
import { intervalTask } from '#server/platform/interval-worker.ts';
import { deleteOldOutboxEmails } from '#server/platform/mail.ts';
import type { Services } from '#server/platform/services.ts';
import { deleteExpiredAccountLinks } from './account-links.sql.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const OUTBOX_DAYS = 30;
const ROWS_AT_ONCE = 500;

/** Tokens first: a session takes those that it still has along when it is deleted. */
const DELETIONS = [
  deleteOldRefreshTokens,
  deleteOldSessions,
  deleteExpiredPasswordLinks,
  deleteExpiredAccountLinks,
];

/** Deletes what has ended and belongs to no site. Processes that do it at once do no harm: each deletes what is left. */
export const ACCOUNT_RETENTION = intervalTask({
  name: 'account-retention',
  everyMs: HOUR_MS,
  immediately: true,
  run: deleteEnded,
});

export async function deleteEnded(services: Services, signal?: AbortSignal): Promise<void> {
  const { global } = services.database;
  const now = services.clock.now();
  const lastMonth = new Date(now.getTime() - OUTBOX_DAYS * DAY_MS);
  const emails = () => deleteOldOutboxEmails(global, lastMonth, ROWS_AT_ONCE);
  for (const next of [...DELETIONS.map((of) => () => of(global, now, ROWS_AT_ONCE)), emails])
    while (signal?.aborted !== true && (await next()));
}
