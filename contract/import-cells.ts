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

const YES = `1 yes y true t on x si verdadero ja wahr an oui vrai vero da res adevarat tak prawda`;

const NO = `0 no n false f off falso nein falsch aus non faux ne neres nu fals nie falsz`;

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

/** Reads a cell about a bounce or a complaint: "yes", a time or a reason says that there was one. */
export function saysSuppressed(cell: string): boolean {
  const word = plainWords(withoutGuard(cell));
  return word !== '' && !isOneOf(NO, word);
}

/** Does this end what somebody receives? An address that bounced or was never confirmed has left nothing. */
export function endsEverything(suppression: Suppression | null): boolean {
  return suppression === 'unsubscribed' || suppression === 'complained' || suppression === 'blocked';
}

/** A pause, as the exports write it: no opt-out, and no subscription either. */
export function isPaused(cell: string): boolean {
  return plainWords(cell) === 'paused';
}

/** Reads a cell about having left everything. Like `readYesNo`, but "unsubscribed" means yes. */
export function readHasLeft(cell: string): boolean | null | undefined {
  return read(cell, [YES, UNSUBSCRIBED], [NO, SUBSCRIBED, ENABLED]);
}

function read(cell: string, yes: readonly Words[], no: readonly Words[]): boolean | null | undefined {
  const word = plainWords(withoutGuard(cell));
  if (word === '') return null;
  if (yes.some((words) => isOneOf(words, word))) return true;
  return no.some((words) => isOneOf(words, word)) ? false : undefined;
}

const TIME = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)? ?(?:Z|[+-]\d{2}:?\d{2})?)?$/i;

/** As programs print it behind the zone's offset, or instead of it: `10:23:10 UTC`, `10:23:10 +0000 UTC`. */
const NAMED_UTC = /(?<=\d) (?:\+0000 )?UTC$/i;

/** Seconds since 1970, of a time after 2001. */
const UNIX = /^\d{10}$/;

/** Reads a time as exports write it, in UTC where it names no zone. null: empty. undefined: not understood. */
export function readTime(cell: string): string | null | undefined {
  const said = withoutGuard(cell.trim()).trim().replace(NAMED_UTC, 'Z');
  if (said === '') return null;
  if (UNIX.test(said)) return new Date(Number(said) * 1000).toISOString();
  if (!TIME.test(said)) return undefined;
  const day = said.slice(0, 10);
  const clock = said.slice(11).replaceAll(' ', '').toUpperCase();
  const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/.test(clock) ? clock : `${clock === '' ? '00:00' : clock}Z`;
  const at = new Date(`${day}T${zoned.replace(/([+-]\d{2})(\d{2})$/, '$1:$2')}`);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
