import { email } from '#contract/fields.ts';
import type { ColumnSamples, ImportMapping, SuggestedMapping } from '#contract/imports.ts';
import type { ListRow } from '#server/audience/lists/lists.ts';
import { invalidField } from '#server/platform/errors.ts';
import {
  plainWords,
  readHasLeft,
  readYesNo,
  saysUnsubscribed,
  withoutGuard,
} from '#contract/import-cells.ts';

const EMAIL_WORDS = new Set([
  ...['email', 'e-mail', 'mail', 'email address', 'e-mail address', 'emailaddress', 'email_address'],
  ...['correo', 'correo electronico', 'direccion de correo', 'direccion de correo electronico'],
  ...['e-mail-adresse', 'email-adresse', 'mailadresse', 'e-mailadresse'],
  ...['courriel', 'adresse e-mail', 'adresse mail', 'adresse email', 'adresse courriel'],
  ...['indirizzo email', 'indirizzo e-mail', 'posta elettronica'],
  ...['e-posta', 'e-postni naslov', 'elektronski naslov', 'naslov e-poste'],
  ...['adresa de email', 'adresa e-mail', 'adresa email'],
  ...['adres e-mail', 'adres email', 'poczta'],
]);

const LEFT_ALL_WORDS = new Set([
  ...['global_unsubscribe', 'global unsubscribe', 'globally unsubscribed', 'unsubscribed', 'opted out'],
  ...['left everything', 'unsubscribed from all', 'unsubscribed from everything', 'do not mail', 'opt-out'],
  ...['dado de baja', 'baja', 'abgemeldet', 'von allem abgemeldet', 'desabonne', 'desinscrit'],
  ...['disiscritto', 'odjavljen', 'dezabonat', 'wypisany'],
]);

/** As Mailchimp and others name it. */
const CONFIRMED_AT_WORDS = new Set([
  ...['confirm_time', 'confirmed_at', 'confirmed at', 'confirmation time', 'confirmation date'],
  'confirmation_time',
]);

const CONFIRMED_IP_WORDS = new Set(['confirm_ip', 'confirmed_ip', 'confirmed ip', 'confirmation ip']);

type NamedList = Pick<ListRow, 'id' | 'name' | 'translations'>;

/** Words that say that a column holds whether somebody is subscribed. */
const STATUS_WORDS = new Set([
  ...['status', 'state', 'subscription', 'subscribed', 'subscriber', 'opt-in', 'optin', 'consent'],
  ...['estado', 'suscripcion', 'suscrito', 'consentimiento', 'abonnement', 'abonniert', 'anmeldung'],
  ...['angemeldet', 'einwilligung', 'statut', 'abonne', 'inscription', 'consentement', 'stato', 'iscrizione'],
  ...['iscritto', 'consenso', 'stanje', 'prijava', 'narocen', 'soglasje', 'stare', 'abonare', 'abonat'],
  ...['consimtamant', 'subskrypcja', 'zapisany', 'zgoda', 'stan'],
]);

/** Words beside them that name no list in particular. */
const MAIL_WORDS = new Set([
  ...['newsletter', 'email', 'e-mail', 'mail', 'marketing', 'boletin', 'lettre', 'novice', 'e-novice'],
  'biuletyn',
]);

/**
 * Guesses the meaning of columns by their names and contents.
 * @param preview the first rows
 * @param samples of all rows, if they were counted
 */
export function suggestMapping(
  columns: readonly string[],
  preview: readonly (readonly string[])[],
  lists: readonly NamedList[],
  samples: ColumnSamples | null = null,
): SuggestedMapping {
  const names = columns.map((name) => plainWords(withoutGuard(name)));
  const emailAt = emailColumn(names, preview);
  const allAt = names.findIndex((name) => LEFT_ALL_WORDS.has(name));
  const [atAt, ipAt] = [CONFIRMED_AT_WORDS, CONFIRMED_IP_WORDS].map((words) =>
    names.findIndex((name) => words.has(name)),
  ) as [number, number];
  const taken = new Set([emailAt, allAt, atAt, ipAt]);
  const found = lists.flatMap((list) => {
    const known = namesOf(list);
    const at = names.findIndex((name, index) => !taken.has(index) && known.has(name));
    taken.add(at);
    const column = columns[at];
    return column === undefined ? [] : [{ column, list_id: list.id }];
  });
  const cellsOf = (index: number) =>
    [...preview.map((fields) => fields[index] ?? ''), ...(samples?.[index]?.values ?? [])].filter(
      (cell) => cell.trim() !== '',
    );
  const status = statusColumns(columns, cellsOf, lists, { found, taken, hasAll: allAt >= 0 });
  const [emailName, allName] = [columns[emailAt], columns[allAt] ?? status.all];
  const [confirmedAt, confirmedIp] = [columns[atAt], columns[ipAt]];
  return {
    ...(emailName === undefined ? {} : { email: emailName }),
    lists: [...found, ...status.lists],
    ...(allName === undefined ? {} : { all: allName }),
    ...(confirmedAt === undefined ? {} : { confirmed_at: confirmedAt }),
    ...(confirmedAt === undefined || confirmedIp === undefined ? {} : { confirmed_ip: confirmedIp }),
  };
}

type ListColumns = SuggestedMapping['lists'];

/**
 * Columns such as "Newsletter status": about the list of that name or the only one; where there are several lists, about
 * everything, if the cells can only mean that.
 */
function statusColumns(
  columns: readonly string[],
  cellsOf: (index: number) => string[],
  lists: readonly NamedList[],
  known: { found: ListColumns; taken: ReadonlySet<number>; hasAll: boolean },
): { lists: ListColumns; all?: string } {
  const open = new Map(lists.map((list) => [list.id, list]));
  for (const { list_id: id } of known.found) open.delete(id);
  const mapped: ListColumns = [];
  let all: string | undefined;
  for (const [index, column] of columns.entries()) {
    const cells = cellsOf(index);
    const about = known.taken.has(index) ? null : listWordsOf(column);
    if (about === null || cells.length === 0 || !isAboutMail(cells)) continue;
    const named = [...open.values()].find((list) => namesOf(list).has(about));
    const [only, ...others] = lists;
    const list = named ?? (isGeneral(about) && others.length === 0 && only ? open.get(only.id) : undefined);
    if (list !== undefined) {
      open.delete(list.id);
      mapped.push({ column, list_id: list.id });
    } else if (isGeneral(about) && !known.hasAll && cells.filter(isReadable).every(isAboutStatus))
      all ??= column;
  }
  return { lists: mapped, ...(all === undefined ? {} : { all }) };
}

const isReadable = (cell: string) => readYesNo(cell) !== undefined;

/** Beside "unsubscribed", words such as "cleaned" that aren't read take no meaning away. */
const isAboutMail = (cells: readonly string[]) => cells.every(isReadable) || cells.some(saysUnsubscribed);

/** "subscribed" and its like, which means the same whatever it answers; a "yes" does not. */
const isAboutStatus = (cell: string) => readYesNo(cell) !== readHasLeft(cell);

/** What is left of a column's name without words such as "status"; null where it has none. */
function listWordsOf(column: string): string | null {
  const words = plainWords(withoutGuard(column))
    .split(/[\s_:/()]+|-(?=stat)/u)
    .filter((word) => word !== '');
  const left = words.filter((word) => !STATUS_WORDS.has(word));
  return left.length === words.length ? null : left.join(' ');
}

const isGeneral = (words: string) => words.split(' ').every((word) => word === '' || MAIL_WORDS.has(word));

function emailColumn(names: readonly string[], preview: readonly (readonly string[])[]): number {
  const byName = names.findIndex((name) => EMAIL_WORDS.has(name));
  if (byName >= 0) return byName;
  return names.findIndex(
    (_, index) =>
      preview.length > 0 &&
      preview.every((fields) => email.safeParse(withoutGuard(fields[index] ?? '')).success),
  );
}

function namesOf(list: NamedList): Set<string> {
  return new Set([list.name, ...list.translations.map(({ name }) => name), list.id].map(plainWords));
}

/** @throws AppError `invalid_field` for a column missing from the file, an unknown list, or a duplicate */
export function requireMapping(
  mapping: ImportMapping,
  columns: readonly string[],
  lists: readonly ListRow[],
): void {
  const requireColumn = (field: string, column: string) => {
    if (!columns.includes(column)) throw invalidField(field, `${field}: the file doesn't have this column.`);
  };
  requireColumn('mapping.email', mapping.email);
  for (const field of ['all', 'confirmed_at', 'confirmed_ip'] as const) {
    const column = mapping[field];
    if (column !== undefined) requireColumn(`mapping.${field}`, column);
  }
  if (mapping.confirmed_ip !== undefined && mapping.confirmed_at === undefined) {
    throw invalidField(
      'mapping.confirmed_ip',
      'mapping.confirmed_ip: only with mapping.confirmed_at. Name the column with the time, too.',
    );
  }
  for (const [index, { column, list_id: listId }] of mapping.lists.entries()) {
    const field = `mapping.lists.${index}`;
    requireColumn(`${field}.column`, column);
    if (!lists.some(({ id }) => id === listId)) {
      throw invalidField(`${field}.list_id`, `${field}.list_id: this site doesn't have this list.`);
    }
    if (mapping.lists.findIndex((one) => one.list_id === listId) !== index) {
      throw invalidField(`${field}.list_id`, `${field}.list_id: another column already uses this list.`);
    }
  }
}
