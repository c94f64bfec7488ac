import { email } from '#contract/fields.ts';
import {
  type ColumnSamples,
  EVIDENCE_COLUMNS,
  type EvidenceColumn,
  type ImportMapping,
  MAX_SUPPRESSION_COLUMNS,
  type SuggestedMapping,
} from '#contract/imports.ts';
import type { ListRow } from '#server/audience/lists/lists.ts';
import { invalidField } from '#server/platform/errors.ts';
import {
  plainWords,
  readHasLeft,
  readSuppression,
  readYesNo,
  saysUnsubscribed,
  withoutGuard,
} from '#contract/import-cells.ts';
import { isEmailName } from './column-names.ts';
import type { FormatMapping } from './export-formats.ts';
import { suppressionOfColumn } from './suppression-columns.ts';

const LEFT_ALL_WORDS = new Set([
  ...['global_unsubscribe', 'global unsubscribe', 'globally unsubscribed', 'unsubscribed', 'opted out'],
  ...['left everything', 'unsubscribed from all', 'unsubscribed from everything', 'do not mail', 'opt-out'],
  ...['dado de baja', 'baja', 'abgemeldet', 'von allem abgemeldet', 'desabonne', 'desinscrit'],
  ...['disiscritto', 'odjavljen', 'dezabonat', 'wypisany'],
  // As Brevo, HubSpot, Salesforce and Substack name it.
  ...['email_blacklisted', 'unsubscribed from all email', 'hs_email_optout', 'hasoptedoutofemail'],
  ...['email opt out', 'email_disabled'],
]);

/** As Mailchimp and others name what goes into the evidence. */
const EVIDENCE_WORDS: Record<EvidenceColumn, ReadonlySet<string>> = {
  confirmed_at: new Set([
    ...['confirm_time', 'confirmed_at', 'confirmed at', 'confirmation time', 'confirmation date'],
    'confirmation_time',
  ]),
  confirmed_ip: new Set(['confirm_ip', 'confirmed_ip', 'confirmed ip', 'confirmation ip']),
  consent_at: new Set([
    ...['optin_time', 'opt-in time', 'optin time', 'opt-in date', 'optin date', 'opt_in_time', 'consent_at'],
    ...[
      'consent date',
      'consent time',
      'date of consent',
      'email marketing consent timestamp',
      'signed up at',
    ],
    ...['signup date', 'sign-up date', 'subscribed at', 'subscribed_at', 'subscribed on', 'subscribe date'],
    ...['subscription date', 'date subscribed', 'subscribedat', 'fecha de alta', 'fecha de suscripcion'],
    ...['einwilligung am', 'angemeldet am', 'anmeldedatum', "date d'inscription", "date d'abonnement"],
    ...['data iscrizione', 'data di iscrizione', 'datum prijave', 'data abonarii', 'data inscrierii'],
    ...['data zapisu', 'data subskrypcji'],
  ]),
  consent_ip: new Set([
    ...[
      'optin_ip',
      'opt-in ip',
      'optin ip',
      'opt_in_ip',
      'consent_ip',
      'consent ip',
      'signup ip',
      'signup_ip',
    ],
  ]),
  source: new Set(['source', 'signup source', 'sign-up source', 'opt-in source', 'consent source']),
  suppression_reason: new Set([
    ...['unsub_reason', 'unsubscribe reason', 'suppression reason', 'suppression_reason', 'bounce reason'],
  ]),
};

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
 * @param format what is known of the tool's exports, which goes before any guess
 */
export function suggestMapping(
  columns: readonly string[],
  preview: readonly (readonly string[])[],
  lists: readonly NamedList[],
  samples: ColumnSamples | null = null,
  format: FormatMapping = { evidence: {} },
): SuggestedMapping {
  const names = columns.map((name) => plainWords(withoutGuard(name)));
  const knownAt = (column: string | undefined) => (column === undefined ? -1 : columns.indexOf(column));
  const or = (at: number, guess: () => number) => (at >= 0 ? at : guess());
  const emailAt = or(knownAt(format.email), () => emailColumn(names, preview));
  const isStatus = (index: number) => columns[index] === format.status;
  const allAt = or(knownAt(format.all), () =>
    names.findIndex((name, index) => LEFT_ALL_WORDS.has(name) && !isStatus(index)),
  );
  const evidence = evidenceColumns(columns, names, format);
  const cellsOf = (index: number) =>
    [...preview.map((fields) => fields[index] ?? ''), ...(samples?.[index]?.values ?? [])].filter(
      (cell) => cell.trim() !== '',
    );
  const { isOfLeaving = false } = format;
  const isUsed = (index: number) =>
    [emailAt, allAt, ...Object.values(evidence).map(knownAt)].includes(index) || isStatus(index);
  const suppressions = suppressionsOf(columns, cellsOf, format.suppressions ?? [], isUsed);
  const ofSuppressions = suppressions.length === 0 ? {} : { suppressions };
  // In a file of unsubscribes, "yes" in a list's column is no subscription.
  if (isOfLeaving) {
    return {
      ...ifNamed('email', columns[emailAt]),
      lists: [],
      ...ifNamed('all', columns[allAt]),
      ...evidence,
      ...ofSuppressions,
      ...everyoneOf(format, [], []),
    };
  }
  const suppressedAt = suppressions.map(({ column }) => knownAt(column));
  const taken = new Set([emailAt, allAt, ...suppressedAt, ...Object.values(evidence).map(knownAt)]);
  const found = lists.flatMap((list) => {
    const known = namesOf(list);
    const at = names.findIndex((name, index) => !taken.has(index) && known.has(name));
    taken.add(at);
    const column = columns[at];
    return column === undefined ? [] : [{ column, list_id: list.id }];
  });
  const status = statusColumns(columns, cellsOf, lists, {
    found,
    taken,
    hasAll: allAt >= 0,
    isStatus,
  });
  const [emailName, allName] = [columns[emailAt], columns[allAt] ?? status.all];
  const mapped = [...found, ...status.lists];
  return {
    ...ifNamed('email', emailName),
    lists: mapped,
    ...ifNamed('all', allName),
    ...ofSuppressions,
    ...evidence,
    ...everyoneOf(format, lists, mapped),
  };
}

function ifNamed(
  field: 'email' | 'all',
  column: string | undefined,
): Pick<SuggestedMapping, 'email' | 'all'> {
  return column === undefined ? {} : { [field]: column };
}

function evidenceColumns(
  columns: readonly string[],
  names: readonly string[],
  format: FormatMapping,
): Partial<Record<EvidenceColumn, string>> {
  const used = new Set<string | undefined>();
  const found = EVIDENCE_COLUMNS.flatMap((field) => {
    const words = EVIDENCE_WORDS[field];
    const column = format.evidence[field] ?? columns.find((_, index) => words.has(names[index] ?? ''));
    if (column === undefined || used.has(column)) return [];
    used.add(column);
    return [[field, column] as const];
  });
  const evidence = Object.fromEntries(found) as Partial<Record<EvidenceColumn, string>>;
  // An IP address on its own confirms nothing.
  if (evidence.confirmed_at === undefined) delete evidence.confirmed_ip;
  return evidence;
}

/** Columns that say that somebody left, bounced or complained: those of the format, and those whose names say so. */
function suppressionsOf(
  columns: readonly string[],
  cellsOf: (index: number) => string[],
  known: Suppressions,
  isUsed: (index: number) => boolean,
): Suppressions {
  const named = columns.flatMap((column, index) => {
    if (isUsed(index) || known.some((one) => one.column === column)) return [];
    const state = suppressionOfColumn(column, cellsOf(index));
    return state === null ? [] : [{ column, state }];
  });
  return [...known, ...named].slice(0, MAX_SUPPRESSION_COLUMNS);
}

/** Which list subscribed people are on is clear only where there is one. */
function everyoneOf(
  { everyone: state }: FormatMapping,
  lists: readonly NamedList[],
  mapped: ListColumns,
): Pick<SuggestedMapping, 'everyone'> {
  if (state === undefined) return {};
  if (state !== 'subscribed') return { everyone: { state } };
  const [only, ...others] = lists;
  if (only === undefined || others.length > 0 || mapped.length > 0) return {};
  return { everyone: { state, list_id: only.id } };
}

type ListColumns = SuggestedMapping['lists'];
type Suppressions = NonNullable<ImportMapping['suppressions']>;

/**
 * Columns such as "Newsletter status": about the list of that name or the only one; where there are several lists, about
 * everything, if the cells can only mean that.
 */
function statusColumns(
  columns: readonly string[],
  cellsOf: (index: number) => string[],
  lists: readonly NamedList[],
  known: {
    found: ListColumns;
    taken: ReadonlySet<number>;
    hasAll: boolean;
    /** Does the format of the file say that the column is one? */
    isStatus: (index: number) => boolean;
  },
): { lists: ListColumns; all?: string } {
  const open = new Map(lists.map((list) => [list.id, list]));
  for (const { list_id: id } of known.found) open.delete(id);
  const mapped: ListColumns = [];
  let all: string | undefined;
  for (const [index, column] of columns.entries()) {
    const cells = cellsOf(index);
    const about = known.taken.has(index) ? null : known.isStatus(index) ? '' : listWordsOf(column);
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

const isReadable = (cell: string) => readYesNo(cell) !== undefined || readSuppression(cell) !== null;

/** Beside "unsubscribed", words that aren't read take no meaning away. */
const isAboutMail = (cells: readonly string[]) => cells.every(isReadable) || cells.some(saysUnsubscribed);

/** "subscribed" and its like, which means the same whatever it answers; a "yes" does not. */
const isAboutStatus = (cell: string) =>
  readSuppression(cell) !== null || readYesNo(cell) !== readHasLeft(cell);

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
  const byName = names.findIndex(isEmailName);
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
  for (const field of ['all', ...EVIDENCE_COLUMNS] as const) {
    const column = mapping[field];
    if (column !== undefined) requireColumn(`mapping.${field}`, column);
  }
  if (mapping.confirmed_ip !== undefined && mapping.confirmed_at === undefined) {
    throw invalidField(
      'mapping.confirmed_ip',
      'mapping.confirmed_ip: only with mapping.confirmed_at. Name the column with the time, too.',
    );
  }
  for (const [index, { column }] of (mapping.suppressions ?? []).entries()) {
    requireColumn(`mapping.suppressions.${index}.column`, column);
  }
  requireEveryone(mapping, lists);
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

function requireEveryone(mapping: ImportMapping, lists: readonly ListRow[]): void {
  if (mapping.everyone === undefined) return;
  const { state, list_id: listId } = mapping.everyone;
  const field = 'mapping.everyone.list_id';
  if (listId === undefined) {
    if (state === 'subscribed')
      throw invalidField(field, `${field}: choose the list they are subscribed to.`);
    return;
  }
  if (state === 'bounced' || state === 'complained') {
    throw invalidField(field, `${field}: "${state}" is about all lists. Leave it out.`);
  }
  if (!lists.some(({ id }) => id === listId)) {
    throw invalidField(field, `${field}: this site doesn't have this list.`);
  }
  if (mapping.lists.some((one) => one.list_id === listId)) {
    throw invalidField(field, `${field}: a column already uses this list.`);
  }
}
