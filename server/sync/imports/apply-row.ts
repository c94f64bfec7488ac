import type { CustomerRow } from '#server/audience/customers/customers.ts';
import { findChoiceBySaveId } from '#server/audience/evidence/evidence.ts';
import { stateOfNewcomer } from '#server/audience/kept-opt-outs/kept-opt-outs.ts';
import { addCustomer } from '#server/choices/choices/add-customer.ts';
import { type ChoiceContext, saveChoice, NO_VISIT } from '#server/choices/choices/choices.ts';
import { isDatabaseUnable, isUnstorableText } from '#server/platform/database-errors.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import { type AppliedRow, hasRow, type ImportJob, type ImportRowRow, markApplied } from './imports.sql.ts';
import { type ImportContext, evaluateRow, type RowEvaluation } from './evaluate-row.ts';
import { findCustomers, type ImportedCustomer } from './find-customers.ts';
import { provenanceOf } from './provenance.ts';
import { sendingOf } from './sending.ts';
import type { RowPreferences } from './row-preferences.ts';

export type OpenRow = ImportRowRow & { email: string; email_key: string; preferences: RowPreferences };

interface Work {
  services: Services;
  job: ImportJob;
  context: ImportContext;
  row: OpenRow;
}

/** More concurrent choices than this while one row is applied are not plausible. */
const MOST_TRIES = 10;
const MOST_FAILURES = 3;

/**
 * Applies one row to the customer's present state; if the customer chooses meanwhile, the row is evaluated again.
 * @param known the customer as read a moment ago
 * @returns null if the row is gone because the customer was erased
 */
export async function applyRow(
  services: Services,
  job: ImportJob,
  context: ImportContext,
  row: OpenRow,
  known: ImportedCustomer,
): Promise<AppliedRow | null> {
  const work = { services, job, context, row };
  let person = known;
  for (let failures = 0, tries = 0; tries < MOST_TRIES; tries += 1) {
    try {
      const done = await tryRow(work, person, tries > 0);
      if (done !== 'again') return done;
    } catch (error) {
      failures += 1;
      // The queue retries the job; rows already applied are skipped.
      if (isDatabaseUnable(error)) throw error;
      if (isUnstorableText(error)) return rejected(row, "A cell contains a character that can't be stored.");
      if (failures === MOST_FAILURES) return rejectAfter(work, error);
    }
    person = await readAgain(work);
  }
  return rejected(row, 'This customer kept changing during the import. Import the row again.');
}

async function readAgain({ services, job, row }: Work): Promise<ImportedCustomer> {
  return services.database.readSite(job.site_id, async (site) =>
    (await findCustomers(services, site, [row.email_key]))(row.email_key),
  );
}

async function tryRow(
  work: Work,
  person: ImportedCustomer,
  isAgain: boolean,
): Promise<AppliedRow | null | 'again'> {
  const { customer } = person;
  if (customer !== null) return change(work, customer, person, await wasAddedByUs(work, customer));
  const { services, job, row } = work;
  const evaluation = await evaluate(work, person, true);
  if (!evaluation.adds) return outcome(row, evaluation, null, null);
  // The customer was erased meanwhile, and their row with them.
  if ((isAgain || row.verdict !== 'added') && !(await isThere(work))) return null;
  const added = await addCustomer(services, job.site_id, row.email, choiceContextOf(work, ':added'));
  if (added === null) return 'again';
  const { kept } = person;
  const { state } =
    added.sequence === 1 ? { state: stateOfNewcomer(added.global_unsubscribe, []) } : await readAgain(work);
  return change(work, added, { customer: added, state, kept }, true);
}

const evaluate = (
  { services, job, context, row }: Work,
  person: ImportedCustomer,
  isNew: boolean,
): Promise<RowEvaluation> =>
  evaluateRow(
    (work) => services.database.readSite(job.site_id, work),
    context,
    person,
    row.preferences,
    isNew,
  );

const isThere = ({ services, job, row }: Work): Promise<boolean> =>
  services.database.readSite(job.site_id, (site) => hasRow(site, job.id, row.number));

/** Did an earlier run of this row add the customer before its worker died? */
async function wasAddedByUs({ services, job, row }: Work, { id }: CustomerRow): Promise<boolean> {
  if (row.verdict !== 'added') return false;
  const saveId = `${saveIdOf(job, row)}:added`;
  const made = await services.database.readSite(job.site_id, (site) => findChoiceBySaveId(site, id, saveId));
  return made !== undefined;
}

async function change(
  work: Work,
  customer: CustomerRow,
  person: ImportedCustomer,
  isNew: boolean,
): Promise<AppliedRow | 'again'> {
  const { services, job, row } = work;
  const evaluation = await evaluate(work, person, isNew);
  if (evaluation.change === null) return outcome(row, evaluation, customer.id, null);
  const saved = await saveChoice(
    services,
    job.site_id,
    customer.id,
    evaluation.change,
    choiceContextOf(work),
    { sequence: customer.sequence },
    async (site, { id }, choiceId) => [
      markApplied(site, job.id, outcome(row, evaluation, id, choiceId), services.clock.now()),
    ],
  );
  if (saved.refused !== null) return 'again';
  return outcome(row, evaluation, customer.id, saved.choiceId);
}

const saveIdOf = (job: ImportJob, row: OpenRow) => `import:${job.id}:${row.number}`;

function choiceContextOf({ job, row }: Work, part = ''): ChoiceContext {
  return {
    source: 'import',
    authority: job.source === 'csv' ? 'owner' : 'system',
    saveId: `${saveIdOf(job, row)}${part}`,
    ...NO_VISIT,
    ...provenanceOf(job, row),
    ...(row.preferences.proof === undefined ? {} : { confirmation: row.preferences.proof }),
    ...sendingOf(job),
  };
}

function outcome(
  row: OpenRow,
  { verdict, reason }: Pick<RowEvaluation, 'verdict' | 'reason'>,
  customerId: string | null,
  choiceId: string | null,
): AppliedRow {
  return { number: row.number, verdict, reason, customer_id: customerId, choice_id: choiceId };
}

function rejected(row: OpenRow, reason: string): AppliedRow {
  return outcome(row, { verdict: 'rejected', reason }, null, null);
}

/** A failing row must not block the others. */
function rejectAfter({ services, job, row }: Work, error: unknown): AppliedRow {
  if (error instanceof AppError && error.status < 500) return rejected(row, error.message);
  services.log.error(
    { err: error, import: job.id, row: row.number },
    'a row of an import could not be applied',
  );
  return rejected(row, 'Something went wrong on our side. Import the row again.');
}
