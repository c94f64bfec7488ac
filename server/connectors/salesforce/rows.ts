import { z } from 'zod';
import { inParts, type Outcome } from '#server/connectors/batches.ts';
import type { ToolAnswer, ToolApi } from '#server/connectors/connector.ts';
import { anyOf, DATA, oddAnswer, query, read } from './api.ts';
import { errorOf, type Trouble } from './failures.ts';

/* Writes many rows with one call, each of which comes to something of its own. */

/** What one call may write (A2). */
const ROWS_PER_CALL = 200;

/** There is no such row: it is in the recycle bin, or not even there. */
const GONE = ['ENTITY_IS_DELETED', 'INVALID_CROSS_REFERENCE_KEY'];

const outcomes = z.array(
  z.object({
    success: z.boolean(),
    errors: z.array(z.object({ statusCode: z.string(), message: z.string() })),
  }),
);

export type Row = Readonly<Record<string, string | boolean>> & { type: string };

/** @returns what each row came to */
export async function createEach(api: ToolApi, rows: readonly Row[]): Promise<Outcome[]> {
  const told = await writeRows(api, 'POST', rows);
  // They are there already.
  return told.map((one) => outcomeOf(one, ['DUPLICATE_VALUE']));
}

export async function createRows(api: ToolApi, rows: readonly Row[]): Promise<void> {
  throwWorst(await createEach(api, rows));
}

/**
 * The contact of a person account is refused; what it is to hold is written to its account.
 * @returns what each row came to
 */
export async function updateEach(api: ToolApi, rows: readonly Row[]): Promise<Outcome[]> {
  const told = await writeRows(api, 'PATCH', rows);
  const ofAccounts = rows.filter(
    ({ type }, at) => type === 'Contact' && told[at]?.code === 'INVALID_PERSON_ACCOUNT_OPERATION',
  );
  const accounts = await accountRows(api, ofAccounts);
  const toldOfAccounts = await writeRows(
    api,
    'PATCH',
    accounts.map(({ account }) => account),
  );
  const moved = new Map(accounts.map(({ contact }, at) => [contact, toldOfAccounts[at] ?? null]));
  return rows.map((row, at) => {
    const trouble = moved.has(row) ? moved.get(row) : told[at];
    return outcomeOf(trouble ?? null, GONE);
  });
}

export async function updateRows(api: ToolApi, rows: readonly Row[]): Promise<void> {
  throwWorst(await updateEach(api, rows));
}

const personAccount = z.object({ Id: z.string(), PersonContactId: z.string() });

/** What a contact holds by its name there: `Email` is `PersonEmail`, an organization's own `X__c` is `X__pc`. */
const nameOnAccount = (field: string) =>
  field.endsWith('__c') ? field.replace(/__c$/, '__pc') : `Person${field}`;

async function accountRows(
  api: ToolApi,
  contacts: readonly Row[],
): Promise<{ contact: Row; account: Row }[]> {
  if (contacts.length === 0) return [];
  const byId = new Map(contacts.map((contact) => [String(contact['id']), contact]));
  const soql = `SELECT Id, PersonContactId FROM Account WHERE PersonContactId IN ${anyOf([...byId.keys()])}`;
  const accounts = await query(api, personAccount, soql);
  return accounts.flatMap(({ Id, PersonContactId }) => {
    const contact = byId.get(PersonContactId);
    if (contact === undefined) return [];
    const fields = Object.entries(contact).filter(([name]) => name !== 'type' && name !== 'id');
    const renamed = Object.fromEntries(fields.map(([name, value]) => [nameOnAccount(name), value]));
    return [{ contact, account: { ...renamed, type: 'Account', id: Id } }];
  });
}

/** @returns what each row came to; null where it was written */
async function writeRows(
  api: ToolApi,
  method: 'POST' | 'PATCH',
  rows: readonly Row[],
): Promise<(Trouble | null)[]> {
  const told: (Trouble | null)[] = [];
  for (const some of inParts(rows, ROWS_PER_CALL)) {
    const records = some.map(({ type, ...fields }) => ({ attributes: { type }, ...fields }));
    const json = { allOrNone: false, records };
    const answer = await api.call({ method, path: `${DATA}/composite/sobjects`, json });
    told.push(...troublesOf(answer, some.length));
  }
  return told;
}

/** @returns what each row came to */
export async function deleteEach(api: ToolApi, ids: readonly string[]): Promise<Outcome[]> {
  const told: (Trouble | null)[] = [];
  for (const some of inParts(ids, ROWS_PER_CALL)) {
    const answer = await api.call({
      method: 'DELETE',
      path: `${DATA}/composite/sobjects`,
      query: { ids: some.join(','), allOrNone: 'false' },
    });
    told.push(...troublesOf(answer, some.length));
  }
  return told.map((one) => outcomeOf(one, GONE));
}

export async function deleteRows(api: ToolApi, ids: readonly string[]): Promise<void> {
  throwWorst(await deleteEach(api, ids));
}

/** The status is 200 also where rows failed (A6, 4). */
function troublesOf(answer: ToolAnswer, rows: number): (Trouble | null)[] {
  const told = read(outcomes, answer);
  if (told.length !== rows) throw oddAnswer();
  return told.map(({ success, errors: [first] }) =>
    success ? null : { code: first?.statusCode ?? 'UNKNOWN_EXCEPTION', message: first?.message ?? '' },
  );
}

function outcomeOf(trouble: Trouble | null, fine: readonly string[]): Outcome {
  return trouble === null || fine.includes(trouble.code) ? null : errorOf(trouble);
}

/** What may yet succeed goes before what never will, so that it is tried again. */
export function worstOf(outcomes: readonly Outcome[]): Outcome {
  const errors = outcomes.filter((one) => one !== null);
  return errors.find(({ kind }) => kind === 'unavailable') ?? errors[0] ?? null;
}

function throwWorst(outcomes: readonly Outcome[]): void {
  const worst = worstOf(outcomes);
  if (worst !== null) throw worst;
}
