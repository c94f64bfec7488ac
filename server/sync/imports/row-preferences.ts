import { isIP } from 'node:net';
import { emailKey } from '#contract/email-key.ts';
import { email as emailField } from '#contract/fields.ts';
import {
  isMerelyNo,
  isPaused,
  readHasLeft,
  readTime,
  readYesNo,
  withoutGuard,
} from '#contract/import-cells.ts';
import type { ImportMapping } from '#contract/imports.ts';
import type { ToolPerson } from '#server/connectors/connector.ts';
import type { ImportRowRow } from './imports.sql.ts';

export type RowPreferences = NonNullable<ImportRowRow['preferences']>;

/** A parsed row: who, and which preferences. */
export type ReadRow =
  | { email: string; emailKey: string; preferences: RowPreferences; problem: null }
  | { email: string | null; emailKey: null; preferences: null; problem: string };

/** Of a cell that can't be read, in the reason. */
const LONGEST_SHOWN = 40;

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

/** Parses a row of a file by the column mapping. */
export function readFields(
  fields: readonly string[],
  columns: readonly string[],
  mapping: ImportMapping,
): ReadRow {
  const cellOf = (column: string) => fields[columns.indexOf(column)] ?? '';
  const address = withoutGuard(cellOf(mapping.email).trim()).trim();
  const email = emailField.safeParse(address);
  if (!email.success) {
    return unusable(address, address === '' ? 'The email is missing.' : "This email isn't valid.");
  }
  const preferences: RowPreferences = { lists: [], leaves: null };
  for (const { column, list_id: of, no } of mapping.lists) {
    const cell = cellOf(column);
    const subscribed = readYesNo(cell);
    if (subscribed === undefined) return unusable(address, unreadable(column, cell));
    const isSilent = no === 'unchanged' && isMerelyNo(cell);
    if (subscribed !== null && !isSilent) preferences.lists.push({ of, subscribed, since: null });
  }
  if (mapping.all !== undefined) {
    const cell = cellOf(mapping.all);
    const pauses = isPaused(cell);
    const leaves = pauses ? null : readHasLeft(cell);
    if (leaves === undefined) return unusable(address, unreadable(mapping.all, cell));
    if (leaves === true) preferences.leaves = { since: null };
    // Pauses are not imported, but nobody is subscribed during one.
    if (pauses)
      Object.assign(preferences, { note: PAUSED, lists: preferences.lists.filter((one) => !one.subscribed) });
  }
  if (mapping.confirmed_at !== undefined) {
    const cell = cellOf(mapping.confirmed_at);
    const at = readTime(cell);
    if (at === undefined) return unusable(address, unreadableTime(mapping.confirmed_at, cell));
    const ip = mapping.confirmed_ip === undefined ? '' : withoutGuard(cellOf(mapping.confirmed_ip).trim());
    if (at !== null) preferences.proof = { at, ip: isIP(ip) === 0 ? null : ip };
  }
  return { email: email.data, emailKey: emailKey(email.data), preferences, problem: null };
}

function unreadableTime(column: string, cell: string): string {
  return `"${column}" says "${shownCell(cell)}". It must be a time such as 2026-03-14 09:30.`;
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
  return {
    lists: [...lists.values()],
    leaves,
    ...(note === undefined ? {} : { note }),
    ...(one.proof === undefined ? {} : { proof: one.proof }),
  };
}

/** What a duplicate row contributes: it can only lower consent. */
export function optOutsOf(preferences: RowPreferences): RowPreferences {
  return { lists: preferences.lists.filter(({ subscribed }) => !subscribed), leaves: preferences.leaves };
}
