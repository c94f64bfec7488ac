import { isIP } from 'node:net';
import { emailKey } from '#contract/email-key.ts';
import { email as emailField } from '#contract/fields.ts';
import type { Suppression } from '#contract/choices.ts';
import {
  type DateOrder,
  endsEverything,
  isMerelyNo,
  isNothing,
  isPaused,
  readHasLeft,
  readSuppressed,
  readSuppression,
  readTime,
  readYesNo,
  withoutGuard,
} from '#contract/import-cells.ts';
import type { ImportMapping } from '#contract/imports.ts';
import type { ToolPerson } from '#server/connectors/connector.ts';
import type { ImportRowRow } from './imports.sql.ts';

export type RowPreferences = NonNullable<ImportRowRow['preferences']>;

type FileDetails = NonNullable<RowPreferences['file']>;

/** A parsed row: who, and which preferences. */
export type ReadRow =
  | { email: string; emailKey: string; preferences: RowPreferences; problem: null }
  | { email: string | null; emailKey: null; preferences: null; problem: string };

/** Of a cell that can't be read, in the reason. */
const LONGEST_SHOWN = 40;

/** Of a source or a reason, as it is stored. */
const LONGEST_TEXT = 300;

/** Says why a row of the file changes nothing. */
const PAUSED = 'paused';

function unusable(email: string, problem: string): ReadRow {
  return {
    email: email === '' ? null : email.slice(0, 254).toWellFormed(),
    emailKey: null,
    preferences: null,
    problem,
  };
}

/** Nobody is guessed from an unreadable email; if the row has an opt-out, it says so, because somebody refused emails. */
function problemOf(address: string, mapping: ImportMapping, cellOf: (column: string) => string): string {
  if (address === '') return 'The email is missing.';
  const { lists, all, suppressions = [] } = mapping;
  const ofLists = lists.map(({ column, no }) => ({ cell: cellOf(column), no }));
  const ofAll = all === undefined ? '' : cellOf(all);
  const isOptOut =
    ofLists.some(({ cell, no }) => readYesNo(cell) === false && !(no === 'unchanged' && isMerelyNo(cell))) ||
    readHasLeft(ofAll) === true ||
    [ofAll, ...ofLists.map(({ cell }) => cell)].some((cell) => endsEverything(readSuppression(cell))) ||
    suppressions.some(
      ({ column, state }) => endsEverything(state) && readSuppressed(cellOf(column), null) !== null,
    );
  return isOptOut
    ? "This email isn't valid, so we can't tell whose unsubscribe this is."
    : "This email isn't valid.";
}

/** How the rows of a file are read. */
export interface FileReading {
  columns: readonly string[];
  mapping: ImportMapping;
  /** What comes first in the dates of each column; null: unknown. */
  dateOrders: readonly (DateOrder | null)[];
}

/** A row of a file. */
interface FileRow {
  /** As in a spreadsheet. */
  number: number;
  fields: readonly string[];
  /** Why not all of its cells can be trusted. */
  problem: string | null;
}

/** Parses a row of a file by the column mapping. Only a missing email rejects what the row unsubscribes from. */
export function readFields({ number, fields, problem }: FileRow, reading: FileReading): ReadRow {
  const { columns, mapping } = reading;
  const cellOf = (column: string) => fields[columns.indexOf(column)] ?? '';
  const orderOf = (column: string) => reading.dateOrders[columns.indexOf(column)] ?? null;
  const address = withoutGuard(cellOf(mapping.email).trim()).trim();
  const email = emailField.safeParse(address);
  if (!email.success) {
    return unusable(address, problem ?? problemOf(address, mapping, cellOf));
  }
  const details = detailsOf(number, mapping, cellOf, orderOf);
  const proof = proofOf(mapping, cellOf, orderOf);
  const signedUpAt = latestOf([details.consent_at, proof?.at]);
  const isOver = (at: string | null | undefined) => at && signedUpAt !== null && signedUpAt > at;
  const unread = problem === null ? [] : [problem];
  const preferences: RowPreferences = { lists: [], leaves: null };
  const suppressions: (Suppression | null)[] = [];
  for (const { column, list_id: of, no } of mapping.lists) {
    const cell = cellOf(column);
    const suppression = readSuppression(cell);
    suppressions.push(suppression);
    if (suppression !== null && suppression !== 'unsubscribed') continue;
    const subscribed = readYesNo(cell);
    if (subscribed === undefined) unread.push(unreadable(column, cell));
    const isSilent = no === 'unchanged' && isMerelyNo(cell);
    if (typeof subscribed === 'boolean' && !isSilent) preferences.lists.push({ of, subscribed, since: null });
  }
  if (mapping.all !== undefined) {
    const cell = cellOf(mapping.all);
    const pauses = isPaused(cell);
    const suppression = readSuppression(cell);
    suppressions.push(suppression);
    const hasLeft =
      suppression === null ? readHasLeft(cell, orderOf(mapping.all)) : endsEverything(suppression);
    if (!pauses && hasLeft === undefined) unread.push(unreadable(mapping.all, cell));
    const leftAt = readTime(cell, orderOf(mapping.all));
    if (!pauses && hasLeft === true && !isOver(leftAt)) preferences.leaves = { since: null };
    // Pauses are not imported, but nobody is subscribed during one.
    if (pauses)
      Object.assign(preferences, { note: PAUSED, lists: preferences.lists.filter((one) => !one.subscribed) });
  }
  applyEveryone(preferences, suppressions, mapping);
  const found = (mapping.suppressions ?? []).flatMap(({ column, state }) => {
    const suppressed = readSuppressed(cellOf(column), orderOf(column));
    return suppressed === null ? [] : [{ state, ...suppressed }];
  });
  const counting = found.filter(({ at }) => !isOver(at));
  if (counting.some(({ state }) => state === 'unsubscribed') && !saysWhatWasLeft(preferences, suppressions))
    preferences.leaves ??= { since: null };
  suppressions.push(...counting.map(({ state }) => state));
  const suppression = strongestOf([...suppressions, reasonCodeOf(details.reason)]);
  const suppressedAt = (found.find(({ state, at }) => state === suppression && at !== null) ?? found[0])?.at;
  if (suppression !== null) details.suppression = suppression;
  if (suppressedAt) details.suppressed_at = suppressedAt;
  if (endsEverything(strongestOf(suppressions.filter((one) => one !== 'unsubscribed'))))
    preferences.leaves ??= { since: null };
  if (endsEverything(reasonCodeOf(details.reason))) preferences.leaves ??= { since: null };
  const read = withoutSuppressed({
    ...preferences,
    ...(proof === null ? {} : { proof }),
    file: details,
  });
  const isBack = suppression === null && preferences.leaves === null;
  const remarks = [
    ...(isBack && suppressedAt ? [signedUpAgain(suppressedAt, signedUpAt)] : []),
    ...unreadProof(read, mapping, cellOf),
  ];
  const [obstacle] = unread;
  if (obstacle === undefined) return readRow(email.data, read, remarks);
  const lowering = { ...read, lists: read.lists.filter(({ subscribed }) => !subscribed) };
  if (!lowers(lowering)) return unusable(address, obstacle);
  return readRow(email.data, lowering, [
    `${obstacle} We only apply what the row unsubscribes from.`,
    ...remarks,
  ]);
}

function readRow(email: string, preferences: RowPreferences, remarks: readonly string[]): ReadRow {
  const remark = remarks.length === 0 ? {} : { remark: remarks.join(' ') };
  return { email, emailKey: emailKey(email), preferences: { ...preferences, ...remark }, problem: null };
}

/** A row in which a list's column, or the file, says that this list was left: a time beside it is the time of that. */
function saysWhatWasLeft({ lists }: RowPreferences, suppressions: readonly (Suppression | null)[]): boolean {
  return (
    suppressions.includes('unsubscribed') && lists.length > 0 && lists.every(({ subscribed }) => !subscribed)
  );
}

type CellOf = (column: string) => string;
type OrderOf = (column: string) => DateOrder | null;

function proofOf({ confirmed_at, confirmed_ip }: ImportMapping, cellOf: CellOf, orderOf: OrderOf) {
  const at = confirmed_at === undefined ? null : readTime(cellOf(confirmed_at), orderOf(confirmed_at));
  if (!at) return null;
  const ip = confirmed_ip === undefined ? '' : withoutGuard(cellOf(confirmed_ip).trim());
  return { at, ip: isIP(ip) === 0 ? null : ip };
}

/** A confirmation that can't be read takes nothing away but itself. */
function unreadProof(
  { lists, proof }: RowPreferences,
  { confirmed_at: column }: ImportMapping,
  cellOf: CellOf,
): string[] {
  if (column === undefined || proof !== undefined || isNothing(cellOf(column))) return [];
  if (!lists.some(({ subscribed }) => subscribed)) return [];
  return [
    `"${column}" says "${shownCell(cellOf(column))}", which isn't a time that we can read, so no confirmation is stored.`,
  ];
}

const latestOf = (times: readonly (string | undefined)[]): string | null =>
  times
    .filter((one) => one !== undefined)
    .toSorted()
    .at(-1) ?? null;

const dayOf = (time: string) => time.slice(0, 10);

function signedUpAgain(leftAt: string, signedUpAt: string | null): string {
  return `The file says that they unsubscribed or bounced on ${dayOf(leftAt)} and signed up on ${dayOf(signedUpAt ?? '')}. The later one counts.`;
}

/** Adds what the file says about everybody in it. */
function applyEveryone(
  preferences: RowPreferences,
  suppressions: (Suppression | null)[],
  { everyone }: ImportMapping,
): void {
  if (everyone === undefined) return;
  const { state, list_id: of } = everyone;
  if (state === 'subscribed' && preferences.note === PAUSED) return;
  if (state !== 'subscribed') suppressions.push(state);
  if (state === 'complained' || (state === 'unsubscribed' && of === undefined))
    preferences.leaves = { since: null };
  else if (of !== undefined && (state === 'subscribed' || state === 'unsubscribed'))
    preferences.lists.push({ of, subscribed: state === 'subscribed', since: null });
}

/** A reason in one word that is known. "unsubscribed" on its own may be about something long past. */
function reasonCodeOf(reason: string | undefined): Suppression | null {
  const code = readSuppression(reason ?? '');
  return code === 'unsubscribed' ? null : code;
}

/** What a reason keeps from the person: a complaint more than an unsubscribe, that more than a bounce. */
const BY_WEIGHT: readonly Suppression[] = ['complained', 'blocked', 'unsubscribed', 'bounced', 'unconfirmed'];

function strongestOf(found: readonly (Suppression | null | undefined)[]): Suppression | null {
  return BY_WEIGHT.find((one) => found.includes(one)) ?? null;
}

/** Does the row unsubscribe somebody, or keep them from being subscribed? */
function lowers(preferences: RowPreferences): boolean {
  const { lists, leaves } = preferences;
  return lists.some(({ subscribed }) => !subscribed) || leaves !== null || isHeldBack(preferences);
}

/** Does the row keep this person from being subscribed to anything? */
export function isHeldBack(preferences: RowPreferences): boolean {
  const suppression = preferences.file?.suppression;
  return suppression !== undefined && suppression !== 'unsubscribed';
}

function withoutSuppressed(preferences: RowPreferences): RowPreferences {
  if (!isHeldBack(preferences)) return preferences;
  return { ...preferences, lists: preferences.lists.filter(({ subscribed }) => !subscribed) };
}

/** What the evidence is told beside the choice. What can't be read is left out: an unsubscribe counts without its date. */
function detailsOf(number: number, mapping: ImportMapping, cellOf: CellOf, orderOf: OrderOf): FileDetails {
  const textOf = (column: string | undefined) =>
    column === undefined ? '' : withoutGuard(cellOf(column).trim()).trim();
  const [ip, source, reason] = [mapping.consent_ip, mapping.source, mapping.suppression_reason].map(
    (column) => textOf(column).slice(0, LONGEST_TEXT).toWellFormed(),
  ) as [string, string, string];
  const { consent_at: column } = mapping;
  const consentAt = column === undefined ? null : readTime(cellOf(column), orderOf(column));
  return {
    rows: [number],
    ...(consentAt ? { consent_at: consentAt } : {}),
    ...(isIP(ip) === 0 ? {} : { consent_ip: ip }),
    ...(source === '' ? {} : { source }),
    ...(reason === '' ? {} : { reason }),
  };
}

function unreadable(column: string, cell: string): string {
  return `"${column}" says "${shownCell(cell)}". Write yes or no, or subscribed or unsubscribed.`;
}

function shownCell(cell: string): string {
  const said = cell.trim();
  return said.length > LONGEST_SHOWN ? `${said.slice(0, LONGEST_SHOWN).toWellFormed()}…` : said;
}

/** What a tool says about a person in one of its lists or tags. */
export function readPerson(person: ToolPerson, resourceId: string): ReadRow {
  const email = emailField.safeParse(person.email);
  if (!email.success) return unusable(person.email.replaceAll('\0', '\ufffd'), "This email isn't valid.");
  const since = person.since?.toISOString() ?? null;
  const preferences: RowPreferences = {
    lists:
      person.state === 'unclear'
        ? []
        : [{ of: resourceId, subscribed: person.state === 'subscribed', since }],
    leaves: person.hasLeftAll ? { since } : null,
  };
  const saysNothing = preferences.lists.length === 0 && preferences.leaves === null;
  return {
    email: email.data,
    emailKey: emailKey(email.data),
    preferences: saysNothing ? { ...preferences, note: 'unclear' } : preferences,
    problem: null,
  };
}

type Since = string | null;

/** The later of two times; a missing time means now. */
function later(one: Since, other: Since): Since {
  if (one === null || other === null) return null;
  return one > other ? one : other;
}

/** Merges two reports about one person: per list, the opt-out wins. */
export function mergePreferences(one: RowPreferences, other: RowPreferences): RowPreferences {
  const lists = new Map(one.lists.map((list) => [list.of, list]));
  for (const list of other.lists) {
    const known = lists.get(list.of);
    if (known === undefined || (known.subscribed && !list.subscribed)) lists.set(list.of, list);
    else if (known.subscribed === list.subscribed) {
      lists.set(list.of, { ...known, since: later(known.since, list.since) });
    }
  }
  const leaves =
    one.leaves === null || other.leaves === null
      ? (one.leaves ?? other.leaves)
      : { since: later(one.leaves.since, other.leaves.since) };
  const note = one.note === other.note ? one.note : undefined;
  const file = mergeDetails(one.file, other.file);
  const remark = one.remark ?? other.remark;
  return withoutSuppressed({
    lists: [...lists.values()],
    leaves,
    ...(note === undefined ? {} : { note }),
    ...(one.proof === undefined ? {} : { proof: one.proof }),
    ...(file === undefined ? {} : { file }),
    ...(remark === undefined ? {} : { remark }),
  });
}

/** More rows with the same email than this are not worth naming. */
const MOST_ROWS = 10;

function mergeDetails(one: FileDetails | undefined, other: FileDetails | undefined): FileDetails | undefined {
  if (one === undefined || other === undefined) return one;
  const rows = [...new Set([...one.rows, ...other.rows])].slice(0, MOST_ROWS);
  const suppression = strongestOf([one.suppression, other.suppression]);
  // The time and the words are those of the reason that counts.
  const isOthers = suppression !== null && suppression !== one.suppression;
  return {
    ...(isOthers ? { ...one, ...other } : { ...other, ...one }),
    rows,
    ...(suppression && { suppression }),
  };
}

/** What a duplicate row contributes: it can only lower consent. */
export function optOutsOf(preferences: RowPreferences): RowPreferences {
  const lists = preferences.lists.filter(({ subscribed }) => !subscribed);
  const { leaves, file } = preferences;
  return {
    lists,
    leaves,
    ...(lowers(preferences) && file !== undefined ? { file: suppressionOf(file) } : {}),
  };
}

/** Consent is told by the row that counts; further rows only tell why they lower it. */
function suppressionOf({ rows, suppression, suppressed_at, reason }: FileDetails): FileDetails {
  return {
    rows,
    ...(suppression === undefined ? {} : { suppression }),
    ...(suppressed_at === undefined ? {} : { suppressed_at }),
    ...(reason === undefined ? {} : { reason }),
  };
}
