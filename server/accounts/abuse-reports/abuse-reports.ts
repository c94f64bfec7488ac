import type { ReportReason } from '#contract/abuse-reports.ts';
import type { Language } from '#contract/fields.ts';
import { allSiteIds } from '#server/accounts/sites/sites.ts';
import { networkOf } from '#server/platform/client-network.ts';
import { siteUrl } from '#server/platform/config.ts';
import { idToBytes, newId } from '#server/platform/ids.ts';
import { oneLine } from '#server/platform/mail.ts';
import type { JobQueue } from '#server/platform/queue.ts';
import type { Limit } from '#server/platform/request-limits.ts';
import { reencryptText, type SealedRow } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { closeReports, insertReport, openReports, type ReportRow } from './abuse-reports.sql.ts';

export { closeReports, forgetReports } from './abuse-reports.sql.ts';

/** Across all sites, so that no one fills the operator's mailbox from one place. */
const REPORTS_OF_NETWORK: Limit = {
  name: 'abuse-reports-ip',
  points: 5,
  perSeconds: 3600,
  exceeded: 'Too many reports.',
};
/** A page with that many reports is looked at anyway. */
const REPORTS_OF_SITE: Limit = {
  ...REPORTS_OF_NETWORK,
  name: 'abuse-reports-site',
  points: 30,
  perSeconds: 86_400,
};

/** Sends a report to `ABUSE_EMAIL`. A mail server that is away gets a day to come back. */
export const ABUSE_MAILS: JobQueue = {
  name: 'abuse-mails',
  options: {
    retryLimit: 150,
    retryDelay: 2,
    retryBackoff: true,
    retryDelayMax: 600,
    retentionSeconds: 24 * 3600,
    expireInSeconds: 120,
    deleteAfterSeconds: 60,
  },
};

interface Details {
  text: string;
  /** The visitor wants an answer there; unproven, and may be empty. */
  email: string;
  language: Language;
}

export interface NewReport extends Details {
  host: string;
  path: string;
  reason: ReportReason;
}

const PURPOSE = 'abuse-report';

type Keys = Pick<Services, 'keyring'>;

const contextOf = ({ site_id: siteId, id }: Pick<SealedRow, 'site_id' | 'id'>) =>
  Buffer.concat([idToBytes(siteId), idToBytes(id)]);

/** null if no key decrypts it. */
export function reencryptReport({ keyring }: Keys, row: SealedRow): string | null {
  return reencryptText(keyring, PURPOSE, row.sealed, contextOf(row));
}

function detailsOf({ keyring }: Keys, row: ReportRow): Details | null {
  const plain = keyring.open(PURPOSE, row.details_sealed, contextOf(row));
  return plain && (JSON.parse(plain.toString('utf8')) as Details);
}

/**
 * Stores a report for the operator of the service, and mails it where there is an address for that.
 * @throws AppError `rate_limited`
 */
export async function fileReport(
  services: Services,
  { siteId, ip }: { siteId: string; ip: string },
  { host, path, reason, ...details }: NewReport,
): Promise<void> {
  const { limits, database, keyring, clock, config, queue } = services;
  await limits.use(REPORTS_OF_NETWORK, networkOf(ip));
  await limits.use(REPORTS_OF_SITE, siteId);
  const id = newId();
  const plain = Buffer.from(JSON.stringify(details), 'utf8');
  await database.inSite(siteId, async (site) => {
    await insertReport(site, {
      id,
      host,
      path,
      reason,
      details_sealed: keyring.seal(PURPOSE, plain, contextOf({ site_id: siteId, id })),
      received_at: clock.now(),
      closed_at: null,
    });
    if (config.abuseEmail !== '') await queue.enqueue(site, ABUSE_MAILS, [{ id, round: 0 }]);
  });
}

/** Reports that no one has acted on, oldest first, site by site. */
export async function* allOpenReports({ database }: Pick<Services, 'database'>): AsyncGenerator<ReportRow> {
  for await (const siteId of allSiteIds(database.global)) yield* await database.readSite(siteId, openReports);
}

/** Closes the open reports about a site that needs nothing done. @returns how many there were */
export async function dismissReports(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  siteId: string,
): Promise<number> {
  return database.inSite(siteId, (site) => closeReports(site, clock.now()));
}

const REASONS: Record<ReportReason, string> = {
  phishing: 'phishing, or pretends to be another business',
  unasked: 'emails that the reporter never asked for',
  illegal: 'illegal or harmful content',
  other: 'something else',
};

/**
 * A report as plain text. A stranger's lines begin with ">" and hold no control characters, so that they can't pass for
 * ours, neither in a mail nor on a terminal.
 */
export function describeReport(services: Pick<Services, 'config' | 'keyring'>, row: ReportRow): string {
  const details = detailsOf(services, row);
  const facts = [
    `Page: ${siteUrl(services.config, row.host)}/${row.path}`,
    `Received: ${row.received_at.toISOString()}`,
    `Reason: ${REASONS[row.reason]}`,
  ];
  if (details === null) return [...facts, 'Details: encrypted with a key that no longer exists'].join('\n');
  const { email, language, text } = details;
  facts.push(`Language: ${language}`);
  if (email !== '') facts.push(`Answer to: ${oneLine(email)} (unproven)`);
  const lines = text === '' ? [] : text.split(/\r\n|\r|\n/).map((line) => `> ${oneLine(line)}`);
  return [...facts, ...lines].join('\n');
}
