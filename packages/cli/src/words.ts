import { stripVTControlCharacters } from 'node:util';
import type { NoCallsBecause } from '#contract/choice-previews.ts';
import type { ChoiceSource } from '#contract/choices.ts';
import type { IntegrationStatus } from '#contract/integrations.ts';

/** How a choice came about, after "they chose it". */
export const SOURCE_WORDS: Record<ChoiceSource, string> = {
  page: 'on the preference page',
  state_link: 'with a link that changes a list',
  leave_link: 'with an unsubscribe link',
  confirm_link: 'with the link in a confirmation email',
  one_click: 'with one click in an email',
  wrong_recipient: 'because the inbox belongs to someone else',
  owner: 'through your team',
  api: 'through the API',
  import: 'by an import',
  tool: 'in an email tool',
  undo: 'by undoing a change',
  pause_end: 'at the end of a pause',
  merge: 'when two customers became one',
  erasure: 'by an erasure',
};

/** Why an action sends nothing. */
export const NO_CALLS_WORDS: Record<NoCallsBecause, string> = {
  disabled: 'it is off',
  other_event: 'it is for another event',
  other_lists: 'it is for other lists',
  test: 'this is a test address',
  disconnected: 'its tool is disconnected',
  tool_off: 'its tool is off',
  no_change: 'it changes nothing for this customer',
  already_so: "the tool has it already, or doesn't know the customer",
  refused: 'the tool would reject it',
  unreadable: "the tool can't be read now",
};

export const STATUS_WORDS: Record<IntegrationStatus, string> = {
  connected: 'connected',
  credentials_refused: 'needs attention',
  switched_off: 'off',
};

/** One word for a shell, whatever is in it: an email may contain a dollar sign or a backtick. */
export function shellWord(text: string): string {
  return /^[\w@.+:/-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** In UTC, to the minute. */
export function timeOf(timestamp: string | null): string {
  return timestamp === null ? '' : `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)}`;
}

/** What others wrote must not move the cursor or hide behind colors: control and bidirectional characters go. */
export function printable(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069\ufeff]/gu, '');
}

/** @returns lines of a table, the first with the names of the columns */
export function tableOf(columns: string[], rows: (string | number | null)[][]): string[] {
  const cells = [columns, ...rows.map((row) => row.map((cell) => printable(String(cell ?? ''))))];
  const widths = columns.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
