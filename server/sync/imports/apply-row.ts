import type { CustomerRow } from '#server/audience/customers/customers.ts';
import { findChoiceBySaveId } from '#server/audience/evidence/evidence.ts';
import { addCustomer } from '#server/choices/choices/add-customer.ts';
import { type Circumstances, saveChoice, UNSEEN } from '#server/choices/choices/choices.ts';
import { isDatabaseUnable, isUnstorableText } from '#server/platform/database-errors.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import { type AppliedRow, hasRow, type ImportJob, type ImportRowRow, markApplied } from './imports.sql.ts';
import { type Context, judge, type Judgement } from './judge.ts';
import { lookUpPeople, type Person, stateOfNew } from './people.ts';
import type { RowWish } from './wish.ts';

export type OpenRow = ImportRowRow & { email: string; email_key: string; wish: RowWish };

interface Work {
  services: Services;
  job: ImportJob;
  context: Context;
  row: OpenRow;
}

/** Nobody chooses so often in the moment that a row takes. */
const MOST_TRIES = 10;
const MOST_FAILURES = 3;

/**
 * Carries out one row, held against the person as they are when it is saved: who chooses meanwhile is looked at again.
 * @param known the person as they were a moment ago
 * @returns null where the row is gone, because the person was erased
 */
export async function applyRow(
  services: Services,
  job: ImportJob,
  context: Context,
  row: OpenRow,
  known: Person,
): Promise<AppliedRow | null> {
  const work = { services, job, context, row };
  let person = known;
  for (let failures = 0, tries = 0; tries < MOST_TRIES; tries += 1) {
    try {
      const done = await tryRow(work, person, tries > 0);
      if (done !== 'again') return done;
    } catch (error) {
      failures += 1;
      // The queue begins anew; what was done is found done.
      if (isDatabaseUnable(error)) throw error;
      if (isUnstorableText(error)) return rejected(row, 'A cell contains a character that cannot be stored.');
      if (failures === MOST_FAILURES) return rejectAfter(work, error);
    }
    person = await lookAgain(work);
  }
  return rejected(row, 'The person kept choosing meanwhile; import the row again.');
}

async function lookAgain({ services, job, row }: Work): Promise<Person> {
  return services.database.readSite(job.site_id, async (site) =>
    (await lookUpPeople(services, site, [row.email_key]))(row.email_key),
  );
}

async function tryRow(work: Work, person: Person, isAgain: boolean): Promise<AppliedRow | null | 'again'> {
  const { customer } = person;
  if (customer !== null) return change(work, customer, person, await wasAddedByUs(work, customer));
  const { services, job, row } = work;
  const judgement = await judged(work, person, true);
  if (!judgement.adds) return outcome(row, judgement, null, null);
  // Who was a customer a moment ago was erased; their row went with them.
  if ((isAgain || row.verdict !== 'added') && !(await isThere(work))) return null;
  const added = await addCustomer(services, job.site_id, row.email, circumstancesOf(work, ':added'));
  if (added === null) return 'again';
  // Its creation is the first of its choices.
  const newcomer = { ...added, sequence: 1 };
  const state = stateOfNew(added.global_unsubscribe);
  return change(work, newcomer, { customer: newcomer, state }, true);
}

const judged = ({ services, job, context, row }: Work, person: Person, isNew: boolean): Promise<Judgement> =>
  judge((work) => services.database.readSite(job.site_id, work), context, person, row.wish, isNew);

const isThere = ({ services, job, row }: Work): Promise<boolean> =>
  services.database.readSite(job.site_id, (site) => hasRow(site, job.id, row.number));

/** A worker that died between the two made the customer, and left the rest of the row. */
async function wasAddedByUs({ services, job, row }: Work, { id }: CustomerRow): Promise<boolean> {
  if (row.verdict !== 'added') return false;
  const saveId = `${saveIdOf(job, row)}:added`;
  const made = await services.database.readSite(job.site_id, (site) => findChoiceBySaveId(site, id, saveId));
  return made !== undefined;
}

async function change(
  work: Work,
  customer: CustomerRow,
  person: Person,
  isNew: boolean,
): Promise<AppliedRow | 'again'> {
  const { services, job, row } = work;
  const judgement = await judged(work, person, isNew);
  const { wish } = judgement;
  if (wish === null) return outcome(row, judgement, customer.id, null);
  const saved = await saveChoice(
    services,
    job.site_id,
    customer.id,
    wish,
    circumstancesOf(work),
    { sequence: customer.sequence },
    async (site, { id }, choiceId) => [
      markApplied(site, job.id, outcome(row, judgement, id, choiceId), services.clock.now()),
    ],
  );
  if (saved.refused !== null) return 'again';
  return outcome(row, judgement, customer.id, saved.choiceId);
}

const saveIdOf = (job: ImportJob, row: OpenRow) => `import:${job.id}:${row.number}`;

function circumstancesOf({ job, row }: Work, part = ''): Circumstances {
  return {
    source: 'import',
    authority: job.source === 'csv' ? 'owner' : 'system',
    saveId: `${saveIdOf(job, row)}${part}`,
    ...UNSEEN,
    ...(job.integration_id === null
      ? {}
      : { toldBy: { integrationId: job.integration_id, since: job.created_at } }),
  };
}

function outcome(
  row: OpenRow,
  { verdict, reason }: Pick<Judgement, 'verdict' | 'reason'>,
  customerId: string | null,
  choiceId: string | null,
): AppliedRow {
  return { number: row.number, verdict, reason, customer_id: customerId, choice_id: choiceId };
}

function rejected(row: OpenRow, reason: string): AppliedRow {
  return outcome(row, { verdict: 'rejected', reason }, null, null);
}

/** One row that cannot be carried out holds up no other. */
function rejectAfter({ services, job, row }: Work, error: unknown): AppliedRow {
  if (error instanceof AppError && error.status < 500) return rejected(row, error.message);
  services.log.error({ err: error, import: job.id, row: row.number }, 'a row of an import was given up');
  return rejected(row, 'Something went wrong on our side; import the row again.');
}
