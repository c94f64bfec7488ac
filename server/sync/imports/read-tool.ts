import { MAX_IMPORT_ROWS } from '#contract/imports.ts';
import { ConnectorError, type PeoplePage } from '#server/connectors/connector.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { Job } from '#server/platform/queue.ts';
import type { Services } from '#server/platform/services.ts';
import { toolClientFor } from '#server/tools/clients/tool-client.ts';
import {
  connectorOf,
  findIntegration,
  type IntegrationRow,
} from '#server/tools/integrations/integrations.ts';
import { findImport, type ImportJob, insertRows, rowsOfAddresses, savePreferences } from './imports.sql.ts';
import { lockForJob, NO_COUNTS, step } from './steps.ts';
import { mergePreferences, readPerson, type RowPreferences } from './row-preferences.ts';

/** Retry delays for a tool that is unavailable or rate limited. */
const GIVEN_UP_AFTER_MS = 86_400_000;
const FIRST_WAIT_SECONDS = 5;
const LONGEST_WAIT_SECONDS = 3600;

type Reading = NonNullable<ImportJob['read_progress']>;

const START: Reading = { resource: 0, cursor: null, tries: 0, troubleSince: null };

/** Reads the next page of people and saves it together with its cursor. */
export async function readPage(services: Services, job: Job): Promise<void> {
  const { row, integration } = await services.database.readSite(job.site_id, async (site) => {
    const found = await findImport(site, job.id);
    const id = found?.integration_id ?? null;
    return { row: found, integration: id === null ? undefined : await findIntegration(site, id) };
  });
  if (row === undefined || row.round !== job.round || row.status !== 'reading') return;
  const resource = row.resources?.[(row.read_progress ?? START).resource]?.resource;
  if (integration === undefined) return fail(services, job, 'The tool was disconnected in the meantime.');
  if (resource === undefined) return fail(services, job, 'There was nothing to read.');
  try {
    const page = await askTool(services, row, integration, resource.id);
    await keepPage(services, job, resource.id, page);
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    await noteTrouble(services, job, error);
  }
}

async function askTool(
  services: Services,
  { kind, read_progress: reading }: ImportJob,
  integration: IntegrationRow,
  resourceId: string,
): Promise<PeoplePage> {
  const connector = connectorOf(integration);
  const { people } = connector;
  if (!people.can || kind === null) {
    throw new ConnectorError('refused', `We can't import people from ${connector.name}.`);
  }
  const { api } = toolClientFor(services, connector, integration, { purpose: 'background' });
  return people.read(api, kind, resourceId, reading?.cursor ?? null);
}

async function keepPage(
  services: Services,
  job: Job,
  resourceId: string,
  { people, cursor }: PeoplePage,
): Promise<void> {
  await services.database.inSite(job.site_id, async (site) => {
    const row = await lockForJob(site, job, ['reading']);
    if (row === null) return;
    const { resource } = row.read_progress ?? START;
    const total = await keepPeople(site, row, resourceId, people);
    if (total > MAX_IMPORT_ROWS) {
      const most = MAX_IMPORT_ROWS.toLocaleString('en');
      await step(services, site, row, {
        status: 'failed',
        error: `It has more than ${most} people.`,
      });
      return;
    }
    const isLast = cursor === null && resource + 1 >= (row.resources?.length ?? 0);
    const reading: Reading = { ...START, resource: cursor === null ? resource + 1 : resource, cursor };
    await step(services, site, row, {
      status: isLast ? 'checking' : 'reading',
      position: isLast ? 0 : total,
      read_progress: isLast ? null : JSON.stringify(reading),
      counts: JSON.stringify({ ...NO_COUNTS, total, read: row.counts.read + people.length }),
    });
  });
}

/** A person in several lists, or on two pages, has one row. @returns number of rows afterwards */
async function keepPeople(
  site: SiteDb,
  row: ImportJob,
  resourceId: string,
  people: PeoplePage['people'],
): Promise<number> {
  const read = people.map((person) => readPerson(person, resourceId));
  const keys = read.flatMap(({ emailKey }) => (emailKey === null ? [] : [emailKey]));
  const known = await rowsOfAddresses(site, row.id, keys, row.position);
  const byKey = new Map<string, { number: number; email: string; preferences: RowPreferences }>();
  for (const { number, email, email_key: key, preferences } of known) {
    if (email !== null && key !== null && preferences !== null)
      byKey.set(key, { number, email, preferences });
  }
  let last = row.position;
  const rejected: Parameters<typeof insertRows>[3][number][] = [];
  for (const one of read) {
    const before = one.emailKey === null ? undefined : byKey.get(one.emailKey);
    if (one.problem !== null) {
      last += 1;
      rejected.push({
        number: last,
        email: one.email,
        email_key: null,
        fields: null,
        preferences: null,
        problem: one.problem,
      });
    } else if (before === undefined) {
      last += 1;
      byKey.set(one.emailKey, { number: last, email: one.email, preferences: one.preferences });
    } else before.preferences = mergePreferences(before.preferences, one.preferences);
  }
  const all = [...byKey].map(([key, { number, email, preferences }]) => ({
    number,
    email,
    email_key: key,
    preferences,
  }));
  await savePreferences(
    site,
    row.id,
    all.filter(({ number }) => number <= row.position),
  );
  const fresh = all.filter(({ number }) => number > row.position);
  await insertRows(site, row.id, 'reading', [
    ...fresh.map((one) => ({ ...one, fields: null, problem: null })),
    ...rejected,
  ]);
  return last;
}

async function fail(services: Services, job: Job, error: string): Promise<void> {
  await services.database.inSite(job.site_id, async (site) => {
    const row = await lockForJob(site, job, ['reading']);
    if (row !== null) await step(services, site, row, { status: 'failed', error });
  });
}

/** Retries for a day, if that can help. */
async function noteTrouble(services: Services, job: Job, error: ConnectorError): Promise<void> {
  if (error.kind !== 'rate_limited' && error.kind !== 'unavailable')
    return fail(services, job, error.message);
  await services.database.inSite(job.site_id, async (site) => {
    const row = await lockForJob(site, job, ['reading']);
    if (row === null) return;
    const now = services.clock.now();
    const reading = row.read_progress ?? START;
    const troubleSince = reading.troubleSince ?? now.toISOString();
    if (now.getTime() - Date.parse(troubleSince) >= GIVEN_UP_AFTER_MS) {
      await step(services, site, row, { status: 'failed', error: error.message });
      return;
    }
    const backoff = Math.min(FIRST_WAIT_SECONDS * 2 ** reading.tries, LONGEST_WAIT_SECONDS);
    const seconds = Math.max(error.retryAfterSeconds ?? 0, error.retryAfterSeconds === null ? backoff : 1);
    const waiting: Reading = { ...reading, tries: reading.tries + 1, troubleSince };
    const startAfter = new Date(now.getTime() + seconds * 1000);
    await step(
      services,
      site,
      row,
      { status: 'reading', read_progress: JSON.stringify(waiting) },
      startAfter,
    );
  });
}
