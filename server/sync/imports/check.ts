import type { ImportCounts, ImportVerdict } from '#contract/imports.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { Job } from '#server/platform/queue.ts';
import type { Services } from '#server/platform/services.ts';
import { type ChoiceRules, choiceRulesOf } from '#server/choices/choices/choices.ts';
import {
  type CheckedRow,
  type ImportJob,
  type ImportRowRow,
  rowsAfter,
  rowsOfAddresses,
  saveChecked,
} from './imports.sql.ts';
import { importContextOf, evaluateRow, type Reader, type RowEvaluation } from './evaluate-row.ts';
import { findCustomers, type ImportedCustomer } from './find-customers.ts';
import { heldOffByKept, receiversOf } from './sending.ts';
import { lockForJob, NO_COUNTS, step } from './steps.ts';
import {
  optOutsOf,
  mergePreferences,
  type ReadRow,
  readFields,
  type RowPreferences,
} from './row-preferences.ts';

const SLICE = 500;

/** The row that counts for an address; further rows with the address can only lower it. */
interface Claim {
  number: number;
  email: string;
  emailKey: string;
  preferences: RowPreferences;
  /** What an earlier slice found, evaluated again. */
  before: { verdict: ImportVerdict; preferences: RowPreferences } | null;
}

/** Evaluates the next rows and writes nothing but the verdicts. */
export async function checkSlice(services: Services, job: Job): Promise<void> {
  const rules = await choiceRulesOf(services, job.site_id);
  await services.database.inSite(job.site_id, async (site) => {
    const row = await lockForJob(site, job, ['checking']);
    if (row === null) return;
    const rows = await rowsAfter(site, row.id, { after: row.position, limit: SLICE });
    const { claims, unused } = await claimsOf(site, row, rows);
    const { judged, effects, tells } = await evaluateClaims(services, site, row, claims, rules);
    await saveChecked(site, row.id, [...judged, ...unused]);
    const counts = countsAfter(row.counts, rows.length, claims, [...judged, ...unused], effects);
    const isLast = rows.length < SLICE;
    await step(services, site, row, {
      status: isLast ? 'checked' : 'checking',
      position: rows.at(-1)?.number ?? row.position,
      counts: JSON.stringify(counts),
      tells: JSON.stringify(tells),
    });
  });
}

function readerOf(job: ImportJob): (row: ImportRowRow) => ReadRow {
  if (job.source === 'tool') return readToolRow;
  const { columns, mapping, column_samples } = job;
  if (mapping === null) throw new Error('An import from a file is checked with a mapping');
  const dateOrders = (column_samples ?? []).map(({ date_order }) => date_order);
  const reading = { columns: columns ?? [], mapping, dateOrders };
  return ({ number, fields, problem }) => readFields({ number, fields: fields ?? [], problem }, reading);
}

function readToolRow({ email, email_key, preferences, problem }: ImportRowRow): ReadRow {
  if (problem !== null) return { email, emailKey: null, preferences: null, problem };
  if (email === null || email_key === null || preferences === null) {
    throw new Error('A row of a tool has an address and preferences, or a problem');
  }
  return { email, emailKey: email_key, preferences, problem: null };
}

async function claimsOf(site: SiteDb, job: ImportJob, rows: readonly ImportRowRow[]) {
  const read = readerOf(job);
  const readRows = rows.map((row) => ({ number: row.number, ...read(row) }));
  const keys = readRows.flatMap(({ emailKey }) => (emailKey === null ? [] : [emailKey]));
  const claims = await earlierClaims(site, job, keys);
  const touched = new Set<string>();
  const unused: CheckedRow[] = [];
  for (const row of readRows) {
    if (row.problem !== null) {
      unused.push(unusedRow('rejected', row.number, row.email, row.emailKey, row.problem));
      continue;
    }
    const { number, email, emailKey, preferences } = row;
    const first = claims.get(emailKey);
    touched.add(emailKey);
    if (first === undefined) claims.set(emailKey, { number, email, emailKey, preferences, before: null });
    else {
      first.preferences = mergePreferences(first.preferences, optOutsOf(preferences));
      unused.push(unusedRow('merged', number, email, emailKey, duplicateOf(first.number)));
    }
  }
  return { claims: [...claims.values()].filter(({ emailKey }) => touched.has(emailKey)), unused };
}

async function earlierClaims(
  site: SiteDb,
  job: ImportJob,
  keys: readonly string[],
): Promise<Map<string, Claim>> {
  // People read from a tool have one row each already.
  if (job.source === 'tool') return new Map();
  const rows = await rowsOfAddresses(site, job.id, keys, job.position);
  return new Map(
    rows.flatMap(({ number, email, email_key: emailKey, preferences, verdict }) =>
      email === null || emailKey === null || preferences === null
        ? []
        : [
            [
              emailKey,
              {
                number,
                email,
                emailKey,
                preferences,
                before: verdict === null ? null : { verdict, preferences },
              },
            ],
          ],
    ),
  );
}

function duplicateOf(number: number): string {
  return `Same email as row ${number}. We use that row, and unsubscribes here count too.`;
}

function unusedRow(
  verdict: 'merged' | 'rejected',
  number: number,
  email: string | null,
  emailKey: string | null,
  reason: string,
): CheckedRow {
  return { number, email, email_key: emailKey, preferences: null, verdict, reason };
}

type Effect = 'subscribes' | 'unsubscribes' | 'no_choice';

/** What a row does to what the customer receives. */
function effectsOf(rules: ChoiceRules, person: ImportedCustomer, evaluation: RowEvaluation): Effect[] {
  const { verdict, change } = evaluation;
  const lists = change?.lists ?? [];
  const leaves = change?.globalUnsubscribe === true || lists.some(({ subscribed }) => !subscribed);
  const effects: Effect[] = [
    ...(lists.some(({ subscribed }) => subscribed) ? (['subscribes'] as const) : []),
    ...(leaves || heldOffByKept(rules, person, evaluation) !== null ? (['unsubscribes'] as const) : []),
  ];
  return effects.length === 0 && change === null && verdict === 'added' ? ['no_choice'] : effects;
}

async function evaluateClaims(
  services: Services,
  site: SiteDb,
  job: ImportJob,
  claims: readonly Claim[],
  rules: ChoiceRules,
) {
  const context = await importContextOf(site, job, services.clock.now());
  const personOf = await findCustomers(
    services,
    site,
    claims.map(({ emailKey }) => emailKey),
  );
  const read: Reader = (work) => work(site);
  const judged: CheckedRow[] = [];
  const effects: Record<Effect, number> = { subscribes: 0, unsubscribes: 0, no_choice: 0 };
  const tells: Record<string, number> = { ...job.tells };
  const count = (person: ImportedCustomer, evaluation: RowEvaluation, by: 1 | -1) => {
    for (const effect of effectsOf(rules, person, evaluation)) effects[effect] += by;
    for (const id of receiversOf(rules, job, person, evaluation)) tells[id] = (tells[id] ?? 0) + by;
  };
  for (const { number, email, emailKey, preferences, before } of claims) {
    const person = personOf(emailKey);
    const evaluation = await evaluateRow(read, context, person, preferences);
    count(person, evaluation, 1);
    if (before) count(person, await evaluateRow(read, context, person, before.preferences), -1);
    const { verdict, reason } = evaluation;
    judged.push({ number, email, email_key: emailKey, preferences, verdict, reason });
  }
  return { judged, effects, tells };
}

function countsAfter(
  before: ImportCounts,
  checked: number,
  claims: readonly Claim[],
  rows: readonly CheckedRow[],
  effects: Readonly<Record<Effect, number>>,
): ImportCounts {
  const counts = { ...NO_COUNTS, ...before, checked: before.checked + checked };
  for (const claim of claims) if (claim.before !== null) counts[claim.before.verdict] -= 1;
  for (const { verdict } of rows) counts[verdict] += 1;
  counts.subscribes += effects.subscribes;
  counts.unsubscribes += effects.unsubscribes;
  counts.no_choice += effects.no_choice;
  return counts;
}
