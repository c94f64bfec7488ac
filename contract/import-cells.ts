/*
 * The words understood in cells, in the product's languages. Compared without case and accents. The server reads files by
 * them, and the owner app shows before what they will do.
 */

import type { Suppression } from './choices.ts';

type Words = string;

/** Split when first asked: calls at the top of a file of the contract are left out of the owner app (contract-split). */
const split: Record<Words, ReadonlySet<string>> = {};

function isOneOf(words: Words, word: string): boolean {
  split[words] ??= new Set(words.split(/\s+/));
  return split[words].has(word);
}

const YES = `1 1.0 yes y true t on x si verdadero ja wahr an oui vrai vero da res adevarat tak prawda`;

const NO = `0 0.0 no n false f off falso nein falsch aus non faux ne neres nu fals nie falsz`;

/** Words for a subscribed person: "yes" of a list, "no" of having left. */
const SUBSCRIBED = `subscribed subscribe active opt-in opted-in optin confirmed
  suscrito suscrita activo activa alta
  abonniert angemeldet aktiv
  abonne abonnee inscrit inscrite actif active
  iscritto iscritta attivo attiva
  narocen narocena prijavljen prijavljena aktiven aktivna
  abonat abonata activ activa
  zapisany zapisana subskrybuje aktywny aktywna`;

const UNSUBSCRIBED = `unsubscribed unsubscribe inactive opt-out opted-out optout cancelled canceled
  baja desuscrito desuscrita inactivo inactiva
  abgemeldet abbestellt inaktiv
  desabonne desabonnee desinscrit desinscrite inactif inactive
  disiscritto disiscritta cancellato cancellata inattivo inattiva
  odjavljen odjavljena neaktiven neaktivna
  dezabonat dezabonata inactiv
  wypisany wypisana nieaktywny nieaktywna`;

/** What programs write where there is nothing: spreadsheets, databases, pandas, R. */
const NOTHING = `n/a n.a. #n/a #nv na nan null <null> (null) nil none undefined - -- \u2013 \u2014`;

/** Receives what they are subscribed to, which says nothing of any list. */
const ENABLED = `enabled`;

/** Why a tool doesn't send to somebody, in the words of its exports; "-" stands for any space or underscore. */
const SUPPRESSED: Record<Exclude<Suppression, 'unsubscribed'>, Words> = {
  bounced: `bounced bounce hard-bounced hard-bounce hardbounced soft-bounced cleaned invalid`,
  complained: `complained complaint complaints spam spam-complaint spam-report reported-spam marked-as-spam`,
  blocked: `blocked blocklisted blacklisted suppressed disabled`,
  unconfirmed: `unconfirmed not-confirmed pending never-subscribed nonsubscribed non-subscribed not-subscribed`,
};

/** Lower case, without accents, one space between words. */
export function plainWords(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ł', 'l')
    .replaceAll('ß', 'ss')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Removes the prefix that keeps spreadsheets from reading a cell as a formula. */
export function withoutGuard(cell: string): string {
  return /^'[=+\-@\t\r＝＋－＠]/.test(cell) ? cell.slice(1) : cell;
}

/** Has the cell no value, or only a word for none? */
export function isNothing(cell: string): boolean {
  const word = plainWords(withoutGuard(cell));
  return word === '' || isOneOf(NOTHING, word);
}

/** Reads a cell about a list: subscribed? null: empty. undefined: not understood. */
export function readYesNo(cell: string): boolean | null | undefined {
  return read(cell, [YES, SUBSCRIBED], [NO, UNSUBSCRIBED]);
}

/**
 * "no" and its like, which may mean that a list was never chosen. A word for having left it, such as "unsubscribed", can
 * only mean an opt-out.
 */
export function isMerelyNo(cell: string): boolean {
  return isOneOf(NO, plainWords(withoutGuard(cell)));
}

/** A word for having unsubscribed, whatever the column is about. */
export function saysUnsubscribed(cell: string): boolean {
  return isOneOf(UNSUBSCRIBED, plainWords(withoutGuard(cell)));
}

/** Reads why a tool doesn't send to somebody; null for all else. */
export function readSuppression(cell: string): Suppression | null {
  const word = plainWords(withoutGuard(cell)).replaceAll(/[\s_]+/g, '-');
  if (isOneOf(UNSUBSCRIBED, word)) return 'unsubscribed';
  const found = Object.entries(SUPPRESSED).find(([, words]) => isOneOf(words, word));
  return found === undefined ? null : (found[0] as Suppression);
}

/** The time zero of databases: nothing happened then. */
const ZERO_TIME = /^0000-00-00/;

/**
 * Reads a cell about an unsubscribe, a bounce or a complaint: "yes", a time or a reason says that there was one. null: there
 * was none.
 */
export function readSuppressed(cell: string, order: DateOrder | null): { at: string | null } | null {
  const word = plainWords(withoutGuard(cell));
  if (isNothing(cell) || isOneOf(NO, word) || isOneOf(SUBSCRIBED, word) || ZERO_TIME.test(word)) return null;
  return { at: readTime(cell, order) ?? null };
}

/** Does this end what somebody receives? An address that bounced or was never confirmed has left nothing. */
export function endsEverything(suppression: Suppression | null): boolean {
  return suppression === 'unsubscribed' || suppression === 'complained' || suppression === 'blocked';
}

/** A pause, as the exports write it: no opt-out, and no subscription either. */
export function isPaused(cell: string): boolean {
  return plainWords(cell) === 'paused';
}

/** Reads a cell about having left everything. Like `readYesNo`, but "unsubscribed" means yes, and so does the time of it. */
export function readHasLeft(cell: string, order: DateOrder | null = null): boolean | null | undefined {
  const said = read(cell, [YES, UNSUBSCRIBED], [NO, SUBSCRIBED, ENABLED]);
  if (said !== undefined) return said;
  return readTime(cell, order) === undefined ? undefined : readSuppressed(cell, order) !== null;
}

function read(cell: string, yes: readonly Words[], no: readonly Words[]): boolean | null | undefined {
  if (isNothing(cell)) return null;
  const word = plainWords(withoutGuard(cell));
  if (yes.some((words) => isOneOf(words, word))) return true;
  return no.some((words) => isOneOf(words, word)) ? false : undefined;
}

const TIME =
  /^\d{4}([-/])\d{2}\1\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)? ?(?:Z|[+-]\d{2}:?\d{2})?)?$/i;

/** As programs print it behind the zone's offset, or instead of it: `10:23:10 UTC`, `10:23:10 +0000 UTC`. */
const NAMED_UTC = /(?<=\d) (?:\+0000 )?UTC$/i;

/** Seconds since 1970, of a time after 2001. */
const UNIX = /^\d{10}$/;

/** As spreadsheets write it when they save a file again: 20.05.2024 11:00, 5/20/2024 11:00 AM. */
const SPREADSHEET_TIME =
  /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:,? (\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d{1,6})?)?(?: ?([ap])\.?m\.?)?)? ?(Z|[+-]\d{2}:?\d{2})?$/i;

export const DATE_ORDERS = ['day_first', 'month_first'] as const;

/** What comes first in the dates of a column, such as 03/04/2024. */
export type DateOrder = (typeof DATE_ORDERS)[number];

/** The order that a date gives away, because one of its numbers can't be a month; null for all other cells. */
export function dateOrderOf(cell: string): DateOrder | null {
  const [, first, separator, second] = SPREADSHEET_TIME.exec(cell.trim()) ?? [];
  // With full stops, the day comes first in every language that writes them.
  if (first === undefined || second === undefined || separator === '.') return null;
  return orderOfNumbers(Number(first), Number(second));
}

function orderOfNumbers(first: number, second: number): DateOrder | null {
  if (first > 12 && second <= 12) return 'day_first';
  return second > 12 && first <= 12 ? 'month_first' : null;
}

/**
 * Reads a time as exports write it, in UTC where it names no zone.
 * @param order of the column's dates; null: unknown, so that 03/04/2024 is not understood
 * @returns null: empty. undefined: not understood
 */
export function readTime(cell: string, order: DateOrder | null = null): string | null | undefined {
  if (isNothing(cell)) return null;
  const said = withoutGuard(cell.trim()).trim().replace(NAMED_UTC, 'Z');
  if (UNIX.test(said)) return new Date(Number(said) * 1000).toISOString();
  const spreadsheet = SPREADSHEET_TIME.exec(said);
  if (spreadsheet !== null) return readSpreadsheetTime(spreadsheet, order);
  if (!TIME.test(said)) return undefined;
  const clock = said.slice(11).replaceAll(' ', '').toUpperCase();
  const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/.test(clock) ? clock : `${clock === '' ? '00:00' : clock}Z`;
  return timeOf(said.slice(0, 10).replaceAll('/', '-'), zoned);
}

function readSpreadsheetTime(parts: RegExpExecArray, known: DateOrder | null): string | undefined {
  const [, first = '', separator, second = '', year = ''] = parts;
  const [, , , , , hours = '0', minutes = '00', seconds = '00', half, zone = 'Z'] = parts;
  const order =
    orderOfNumbers(Number(first), Number(second)) ??
    (separator === '.' || first === second ? 'day_first' : known);
  if (order === null) return undefined;
  const [day, month] = order === 'day_first' ? [first, second] : [second, first];
  const hour =
    half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  const two = (text: string | number) => String(text).padStart(2, '0');
  return timeOf(
    `${year}-${two(month)}-${two(day)}`,
    `${two(hour)}:${minutes}:${seconds}${zone.toUpperCase()}`,
  );
}

/** undefined for a day or a clock time that does not exist. */
function timeOf(day: string, clock: string): string | undefined {
  const at = new Date(`${day}T${clock.replace(/([+-]\d{2})(\d{2})$/, '$1:$2')}`);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
