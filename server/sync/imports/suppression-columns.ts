import { isNothing, plainWords, readTime, readYesNo, withoutGuard } from '#contract/import-cells.ts';
import type { SuppressionState } from '#contract/imports.ts';

/** How words begin that name an unsubscribe, a bounce or a complaint, in the product's languages; without accents. */
const BEGINNINGS: Record<SuppressionState, readonly string[]> = {
  unsubscribed: [
    ...['unsub', 'optout', 'optedout'],
    ...['baja', 'desuscri', 'desinscri', 'cancelacion'],
    ...['abmeld', 'abgemeldet', 'abbestell', 'austrag', 'ausgetragen'],
    ...['desabonn', 'desinscri'],
    ...['disiscri', 'cancellazion', 'disdett'],
    ...['odjav'],
    ...['dezabon'],
    ...['wypis', 'rezygnac'],
  ],
  bounced: [
    ...['bounc', 'hardbounc', 'softbounc'],
    ...['rebot', 'unzustellbar', 'rucklauf', 'rebond', 'rimbalz', 'zavrn', 'respins', 'odbic', 'odbit'],
  ],
  complained: [
    ...['complain', 'spam'],
    ...['queja', 'beschwerde', 'plainte', 'reclam', 'segnalazion', 'pritozb', 'plangere', 'skarg'],
  ],
};

/** Words that mean something else when they are part of a longer one. */
const WORDS = new Map<string, SuppressionState>([
  ['left', 'unsubscribed'],
  ['clean', 'bounced'],
  ['cleaned', 'bounced'],
]);

/** They count how often: one bounce of many emails keeps nobody from the next. */
const NUMBERS_OF = new Set(['unsubscribes', 'bounces', 'complaints']);

/** Words that say that a column holds a time. */
const TIMES = new Set([
  ...['at', 'on', 'time', 'date', 'datetime', 'timestamp', 'day', 'when', 'since'],
  ...['fecha', 'hora', 'dia', 'desde'],
  ...['datum', 'zeit', 'zeitpunkt', 'uhrzeit', 'tag', 'am', 'seit'],
  ...['heure', 'jour', 'depuis', 'data', 'ora', 'giorno', 'cas', 'dne', 'dan', 'ziua'],
  ...['czas', 'dzien', 'dnia', 'godzina'],
]);

const TIME_ENDINGS = ['datum', 'zeit', 'zeitpunkt', 'time', 'date', 'timestamp', 'edat'];

/** Words that name nothing else. */
const FILLERS = new Set([
  ...['is', 'was', 'has', 'last', 'the', 'of', 'from', 'to', 'by', 'in', 'as'],
  ...[
    'e',
    'email',
    'emails',
    'mail',
    'newsletter',
    'list',
    'user',
    'contact',
    'subscriber',
    'hard',
    'report',
  ],
  ...['reported', 'marked', 'ed', 'all', 'everything', 'marketing', 'global', 'globally', 'utc'],
  ...['de', 'del', 'la', 'el', 'los', 'las', 'en', 'suscripcion', 'correo', 'boletin'],
  ...['der', 'die', 'das', 'des', 'vom', 'von', 'aus'],
  ...['le', 'les', 'du', 'd', 'l', 'lettre', 'il', 'lo', 'di', 'della', 'dell', 'dal', 'dalla', 'iscrizione'],
  ...['od', 'iz', 'z', 'na', 'o', 'pe', 'din', 'lista', 'liste', 'prenehanja'],
]);

/**
 * What a column says against sending to somebody, by its name: one with a time of leaving always does; one without "time" in
 * its name, if its cells are times, or yes and no.
 * @returns null for all other columns, such as those with a reason, a link or a number
 */
export function suppressionOfColumn(column: string, cells: readonly string[]): SuppressionState | null {
  const words = wordsOf(column);
  let state: SuppressionState | null = null;
  let isTime = false;
  for (const word of words) {
    const named = stateOfWord(word);
    if (named === null && !TIMES.has(word) && !FILLERS.has(word)) return null;
    // Complaints come before bounces, these before unsubscribes: "spam unsubscribe" is a complaint.
    if (named !== null && (state === null || WEIGHT[named] > WEIGHT[state])) state = named;
    isTime ||= TIMES.has(word) || (named !== null && TIME_ENDINGS.some((end) => word.endsWith(end)));
  }
  if (state === null || isTime) return state;
  const filled = cells.filter((cell) => !isNothing(cell));
  if (filled.length > 0 && filled.every(isTimeLike)) return state;
  const isFlag = filled.length > 0 && filled.every((cell) => readYesNo(cell) !== undefined);
  return isFlag && !words.some((word) => NUMBERS_OF.has(word)) ? state : null;
}

const WEIGHT: Record<SuppressionState, number> = { unsubscribed: 0, bounced: 1, complained: 2 };

/** 03/04/2024 is a time, whatever comes first. */
const isTimeLike = (cell: string) => typeof readTime(cell, 'day_first') === 'string';

function stateOfWord(word: string): SuppressionState | null {
  if (TIMES.has(word) || FILLERS.has(word)) return null;
  const whole = WORDS.get(word);
  if (whole !== undefined) return whole;
  for (const [state, beginnings] of Object.entries(BEGINNINGS)) {
    if (beginnings.some((begin) => word.startsWith(begin))) return state as SuppressionState;
  }
  return null;
}

/** The words of a column's name: `unsubscribedAt`, `opt-out_date` and "Abmeldung am" have two each. */
function wordsOf(column: string): string[] {
  const spaced = withoutGuard(column).replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ');
  const words = plainWords(spaced)
    .split(/[^\p{L}\p{N}]/u)
    .filter((word) => word !== '');
  const joined: string[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    if (word === 'out' && (last === 'opt' || last === 'opted')) joined[joined.length - 1] = `${last}out`;
    else joined.push(word);
  }
  return joined;
}
