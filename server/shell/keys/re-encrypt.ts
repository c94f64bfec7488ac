import {
  replaceTotpSecret,
  reencryptTotpSecret,
  staleTotpSecrets,
} from '#server/accounts/second-factors/totp.ts';
import { reencryptReport } from '#server/accounts/abuse-reports/abuse-reports.ts';
import { allSiteIds } from '#server/accounts/sites/sites.ts';
import { reencryptComplaint } from '#server/audience/complaints/complaints.ts';
import { reencryptSecrets } from '#server/delivery/actions/signing.ts';
import type { BackgroundTask } from '#server/platform/background-task.ts';
import { startIntervalWorker } from '#server/platform/interval-worker.ts';
import type { SealedRow } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { reencryptEmail } from '#server/sync/inbound/inbound.ts';
import { reencryptRequest } from '#server/sync/inbound/receive.ts';
import { reencryptCredentials, reencryptWebhookSecret } from '#server/tools/integrations/credentials.ts';
import { hasOlderEvidence, replaceValue, type SealedPlace, staleValues } from './sealed-values.sql.ts';

/* With `SECRET_KEY=new,old`, long-lived encrypted values are re-encrypted with the new key while the product runs. */

type Reencrypt = (services: Pick<Services, 'keyring'>, row: SealedRow) => string | null;

/** docs/settings.md says what is left out, and why. */
export const SEALED_VALUES: readonly (SealedPlace & { reencrypt: Reencrypt })[] = [
  { table: 'integrations', column: 'credentials_sealed', reencrypt: reencryptCredentials },
  { table: 'integrations', column: 'webhook_secret_sealed', reencrypt: reencryptWebhookSecret },
  { table: 'actions', column: 'secrets_sealed', reencrypt: reencryptSecrets },
  { table: 'inbound_requests', column: 'sealed', reencrypt: reencryptRequest },
  { table: 'inbound_events', column: 'email_sealed', reencrypt: reencryptEmail },
  { table: 'complaints', column: 'text_sealed', reencrypt: reencryptComplaint },
  { table: 'complaints', column: 'answer_sealed', reencrypt: reencryptComplaint },
  { table: 'abuse_reports', column: 'details_sealed', reencrypt: reencryptReport },
];

const LOOK_EVERY_MS = 10_000;
/** A process that still has the old key first may encrypt with it until it restarts. */
const AGAIN_AFTER_MS = 60 * 60_000;
const VALUES_AT_ONCE = 50;

export interface ReencryptedCounts {
  reencrypted: number;
  /** Changed concurrently; they are retried. */
  changed: number;
  /** No key decrypts them: theirs no longer exists. */
  unreadable: number;
}

/** Runs after a start with more than one key, and every hour from then on. */
export const REENCRYPTION: BackgroundTask = {
  name: 're-encryption',
  start(services) {
    let nextAt = 0;
    return startIntervalWorker('re-encryption', LOOK_EVERY_MS, services.log, async (signal) => {
      const now = services.clock.now().getTime();
      if (!services.keyring.hasOlder || now < nextAt) return;
      const isDone = await reencryptAndLog(services, signal);
      if (isDone) nextAt = now + AGAIN_AFTER_MS;
    });
  },
};

/** @returns whether nothing is left to re-encrypt */
export async function reencryptAndLog(services: Services, signal?: AbortSignal): Promise<boolean> {
  const counts = await reencryptAll(services, signal);
  if (counts.reencrypted > 0 || counts.changed > 0) {
    services.log.info(counts, 'values of older keys were re-encrypted with the newest key');
    return false;
  }
  if (signal?.aborted === true) return false;
  services.log.info(
    { unreadable: counts.unreadable, still_needed_for: await olderKeysAreFor(services) },
    'credentials and secrets are all encrypted with the newest key; see SECRET_KEY in docs/settings.md before you remove an older one',
  );
  return true;
}

/** Always needed: tokens already handed out refer to their key and cannot be recalled. */
const HANDED_OUT = [
  'links in mails that were sent',
  'webhook addresses entered in tools',
  'domain records',
  'addresses of erased people who had left',
];

async function olderKeysAreFor(services: Services): Promise<string[]> {
  const { newestPrefixes } = services.keyring;
  for await (const siteId of allSiteIds(services.database.global)) {
    const isOlder = await services.database.readSite(siteId, (site) =>
      hasOlderEvidence(site, newestPrefixes),
    );
    if (isOlder) return ['who evidence is about', ...HANDED_OUT];
  }
  return HANDED_OUT;
}

/**
 * One pass over all sites. It can be stopped and restarted at any point, and run in several processes at once, because
 * re-encrypted values are skipped.
 */
export async function reencryptAll(services: Services, signal?: AbortSignal): Promise<ReencryptedCounts> {
  const counts: ReencryptedCounts = { reencrypted: 0, changed: 0, unreadable: 0 };
  await reencryptAccounts(services, counts, signal);
  for await (const siteId of allSiteIds(services.database.global)) {
    for (const place of SEALED_VALUES) {
      if (signal?.aborted === true) return counts;
      await reencryptColumn(services, siteId, place, counts);
    }
  }
  return counts;
}

/** TOTP secrets, which belong to accounts rather than to sites. */
async function reencryptAccounts(
  services: Services,
  counts: ReencryptedCounts,
  signal?: AbortSignal,
): Promise<void> {
  const { global } = services.database;
  const { newestPrefixes: newest } = services.keyring;
  let after: string | null = null;
  for (;;) {
    const stale = await staleTotpSecrets(global, { newest, after, limit: VALUES_AT_ONCE });
    for (const row of stale) {
      if (signal?.aborted === true) return;
      const fresh = reencryptTotpSecret(services, row);
      if (fresh === null) counts.unreadable += 1;
      else if (await replaceTotpSecret(global, row, fresh)) counts.reencrypted += 1;
      else counts.changed += 1;
    }
    if (stale.length < VALUES_AT_ONCE) return;
    after = stale.at(-1)?.user_id ?? null;
  }
}

async function reencryptColumn(
  services: Services,
  siteId: string,
  place: (typeof SEALED_VALUES)[number],
  counts: ReencryptedCounts,
): Promise<void> {
  const { newestPrefixes: newest } = services.keyring;
  let after: string | null = null;
  for (;;) {
    const slice = { newest, after, limit: VALUES_AT_ONCE };
    const stale: SealedRow[] = await services.database.readSite(siteId, (site) =>
      staleValues(site, place, slice),
    );
    for (const row of stale) await reencryptOne(services, place, row, counts);
    if (stale.length < VALUES_AT_ONCE) return;
    after = stale.at(-1)?.id ?? null;
  }
}

/** One transaction per value, so that owners who edit a row wait for no other. */
async function reencryptOne(
  services: Services,
  place: (typeof SEALED_VALUES)[number],
  row: SealedRow,
  counts: ReencryptedCounts,
): Promise<void> {
  const fresh = place.reencrypt(services, row);
  if (fresh === null) {
    counts.unreadable += 1;
    return;
  }
  const isReplaced = await services.database.inSite(row.site_id, (site) =>
    replaceValue(site, place, row, fresh),
  );
  if (isReplaced) counts.reencrypted += 1;
  else counts.changed += 1;
}
