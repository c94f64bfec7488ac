import type { Action } from '#contract/actions.ts';
import {
  endsEverything,
  isMerelyNo,
  isPaused,
  type DateOrder,
  readHasLeft,
  readSuppressed,
  readSuppression,
  readTime,
  readYesNo,
  saysUnsubscribed,
} from '#contract/import-cells.ts';
import {
  EVIDENCE_COLUMNS,
  type EvidenceColumn,
  IMPORT_VERDICTS,
  type ImportCounts,
  type ImportDetail,
  type ImportMapping,
  type ImportOptions,
  type ImportStatus,
  type ImportSummary,
  type ImportVerdict,
  MAX_IMPORT_BYTES,
  type NoMeaning,
  SUPPRESSION_STATES,
  type SuggestedMapping,
  type SuppressionState,
} from '#contract/imports.ts';
import type { List } from '#contract/lists.ts';
import type { BadgeTone } from '#web/ui/Badge.tsx';
import { numberFormat } from '../../i18n/formats.ts';

/**
 * A column's meaning: none, the address, the global opt-out ("yes"), a bounce or complaint, something for the evidence, or
 * a list by id.
 */
export type Meaning = 'ignore' | 'email' | 'all' | SuppressionState | EvidenceColumn | (string & {});
export type Meanings = ReadonlyMap<string, Meaning>;

export function meaningsOf(columns: readonly string[], mapping: SuggestedMapping | null): Meanings {
  const lists = new Map(mapping?.lists?.map((list) => [list.column, list.list_id]));
  const suppressions = new Map(mapping?.suppressions?.map(({ column, state }) => [column, state]));
  return new Map(
    columns.map((column) => {
      if (column === mapping?.email) return [column, 'email'];
      if (column === mapping?.all) return [column, 'all'];
      const evidence = EVIDENCE_COLUMNS.find((one) => column === mapping?.[one]);
      return [column, evidence ?? suppressions.get(column) ?? lists.get(column) ?? 'ignore'];
    }),
  );
}

/** Gives a column a meaning and takes it from the column that had it; several may say that emails bounced. */
export function withMeaning(meanings: Meanings, column: string, meaning: Meaning): Meanings {
  return new Map(
    [...meanings].map(([one, had]) => {
      if (one === column) return [one, meaning];
      return [one, had === meaning && !isSuppression(meaning) ? 'ignore' : had];
    }),
  );
}

export function isList(meaning: Meaning): boolean {
  return !['ignore', 'email', 'all', ...SUPPRESSION_STATES, ...EVIDENCE_COLUMNS].includes(meaning);
}

function isSuppression(meaning: Meaning): meaning is SuppressionState {
  return (SUPPRESSION_STATES as readonly string[]).includes(meaning);
}

/** What the site's tools are sent of an import, and which of them it comes from. */
export type Sending = Pick<ImportOptions, 'send_subscriptions' | 'exported_from'>;

/** What the file says about everybody in it, as the value of a field: `none`, a state, or a state and a list. */
export type Everyone = 'none' | (string & {});

export function everyoneOf(mapping: SuggestedMapping | null): Everyone {
  if (mapping?.everyone === undefined) return 'none';
  const { state, list_id: listId } = mapping.everyone;
  return listId === undefined ? state : `${state}:${listId}`;
}

/** The state and its list; none where a column is about that list already. */
function everyoneIn(value: Everyone, meanings: Meanings): Pick<ImportMapping, 'everyone'> {
  const [state, listId] = value.split(':') as [
    NonNullable<ImportMapping['everyone']>['state'] | 'none',
    string?,
  ];
  if (state === 'none' || (listId !== undefined && [...meanings.values()].includes(listId))) return {};
  return { everyone: { state, ...(listId === undefined ? {} : { list_id: listId }) } };
}

/** The columns whose "no" only says that the list was never chosen. */
export function silentColumnsOf(mapping: SuggestedMapping | null): ReadonlySet<string> {
  return new Set(mapping?.lists.filter(({ no }) => no === 'unchanged').map(({ column }) => column));
}

export function withSilence(silent: ReadonlySet<string>, column: string, no: NoMeaning): ReadonlySet<string> {
  const others = [...silent].filter((one) => one !== column);
  return new Set(no === 'unchanged' ? [...others, column] : others);
}

/** The first different values of a column; of the first rows only, where the file wasn't counted. */
export function samplesOf(
  { column_samples, preview }: Pick<ImportDetail, 'column_samples' | 'preview'>,
  index: number,
): string[] {
  const values = column_samples?.[index]?.values ?? preview.map((row) => row[index] ?? '');
  return [...new Set(values)].filter((value) => value.trim() !== '');
}

export type CellEffect =
  | 'subscribed'
  | 'unsubscribed'
  | 'unsubscribed_all'
  | 'not_subscribed'
  | 'unchanged'
  | 'not_stored'
  | 'unreadable';

/**
 * What a value of a column will do; null where the column changes no preferences. Reads it as the server does.
 * @param order of the column's dates
 */
export function effectOf(
  cell: string,
  meaning: Meaning,
  isSilent: boolean,
  order: DateOrder | null = null,
): CellEffect | null {
  if (isSuppression(meaning)) {
    if (readSuppressed(cell, order) === null) return 'unchanged';
    return endsEverything(meaning) ? 'unsubscribed_all' : 'not_subscribed';
  }
  const suppression = readSuppression(cell);
  if ((meaning === 'all' || isList(meaning)) && suppression !== null && suppression !== 'unsubscribed')
    return endsEverything(suppression) ? 'unsubscribed_all' : 'not_subscribed';
  if (meaning === 'all') {
    if (isPaused(cell)) return 'unchanged';
    const hasLeft = readHasLeft(cell, order);
    if (hasLeft === undefined) return 'unreadable';
    return hasLeft === true ? 'unsubscribed_all' : 'unchanged';
  }
  const isTime = meaning === 'consent_at' || meaning === 'confirmed_at';
  if (isTime && readTime(cell, order) === undefined) return 'not_stored';
  if (!isList(meaning)) return null;
  const subscribed = readYesNo(cell);
  if (subscribed === undefined) return 'unreadable';
  if (subscribed === null || (isSilent && isMerelyNo(cell))) return 'unchanged';
  return subscribed ? 'subscribed' : 'unsubscribed';
}

/** null: no column is the address. */
export function mappingOf(
  meanings: Meanings,
  silent: ReadonlySet<string> = new Set(),
  everyone: Everyone = 'none',
): ImportMapping | null {
  const columnOf = (meaning: Meaning) => [...meanings].find(([, one]) => one === meaning)?.[0];
  const email = columnOf('email');
  const all = columnOf('all');
  const evidence = Object.fromEntries(
    EVIDENCE_COLUMNS.flatMap((one) => {
      const column = columnOf(one);
      return column === undefined ? [] : [[one, column]];
    }),
  ) as Pick<ImportMapping, EvidenceColumn>;
  // An IP address on its own confirms nothing.
  if (evidence.confirmed_at === undefined) delete evidence.confirmed_ip;
  if (email === undefined) return null;
  const lists = [...meanings]
    .filter(([, meaning]) => isList(meaning))
    .map(([column, list_id]) => ({
      column,
      list_id,
      ...(silent.has(column) ? { no: 'unchanged' as const } : {}),
    }));
  const suppressions = [...meanings].flatMap(([column, state]) =>
    isSuppression(state) ? [{ column, state }] : [],
  );
  return {
    email,
    lists,
    ...(all === undefined ? {} : { all }),
    ...(suppressions.length === 0 ? {} : { suppressions }),
    ...evidence,
    ...everyoneIn(everyone, meanings),
  };
}

/** Would ignoring a column lose what it says against sending to somebody? */
export function losesUnsubscribes(
  column: string,
  values: readonly string[],
  suggested: SuggestedMapping | null,
): boolean {
  const isSuggested = suggested?.suppressions?.some((one) => one.column === column) ?? false;
  return isSuggested || values.some(saysUnsubscribed);
}

/** How sure we are of what a column means: the tool's format says so, or its name and values suggest it. */
export function suretyOf(
  { recognized, suggested_mapping }: Pick<ImportDetail, 'recognized' | 'suggested_mapping'>,
  columns: readonly string[],
): (column: string, meaning: Meaning) => 'known' | 'guessed' | null {
  const suggested = meaningsOf(columns, suggested_mapping);
  return (column, meaning) => {
    if (meaning === 'ignore' || suggested.get(column) !== meaning) return null;
    return recognized?.is_certain === true && recognized.columns.includes(column) ? 'known' : 'guessed';
  };
}

const WORKING: readonly ImportStatus[] = ['receiving', 'reading', 'checking', 'applying'];

export function isWorking(status: ImportStatus): boolean {
  return WORKING.includes(status);
}

export function isEnded(status: ImportStatus): boolean {
  return status === 'finished' || status === 'cancelled' || status === 'failed';
}

/** What canceling leaves behind: before `applying`, an import has changed nobody. */
export function stageOf(status: ImportStatus): 'before' | 'applying' {
  return status === 'applying' ? 'applying' : 'before';
}

/** Progress, 0 to 1; null while the total is unknown. */
export function shareOf({ status, counts }: Pick<ImportSummary, 'status' | 'counts'>): number | null {
  if (counts.total === 0) return null;
  if (status === 'checking') return counts.checked / counts.total;
  if (status === 'applying') {
    return Math.min(1, (counts.applied + counts.merged + counts.rejected) / counts.total);
  }
  return null;
}

export const STEPS = ['choose', 'columns', 'check', 'apply'] as const;
export type Step = (typeof STEPS)[number];

/** A tool has no columns. */
export function stepsOf(source: ImportSummary['source']): Step[] {
  return STEPS.filter((step) => step !== 'columns' || source === 'csv');
}

export function stepOf({ status, counts, source }: Pick<ImportDetail, 'status' | 'counts' | 'source'>): Step {
  if (status === 'receiving' || status === 'reading') return 'choose';
  if (status === 'uploaded') return 'columns';
  if (status === 'checking' || status === 'checked') return 'check';
  if (status === 'applying' || status === 'finished') return 'apply';
  if (counts.applied > 0) return 'apply';
  if (counts.checked > 0) return 'check';
  return source === 'csv' ? 'columns' : 'choose';
}

export function toneOf(status: ImportStatus): BadgeTone {
  if (status === 'finished') return 'success';
  if (status === 'failed') return 'danger';
  if (status === 'cancelled') return 'neutral';
  return isWorking(status) ? 'accent' : 'warning';
}

export function changesOf({ added, changed, revived }: ImportCounts): number {
  return added + changed + revived;
}

/** The verdict to show first: problems before successes. */
export function firstVerdict(counts: ImportCounts): ImportVerdict {
  const order: ImportVerdict[] = ['rejected', 'blocked', ...IMPORT_VERDICTS];
  return order.find((verdict) => counts[verdict] > 0) ?? 'added';
}

export type FileProblem = 'too_large' | 'empty' | 'type';

/** Client-side problems of a file. */
export function problemOfFile(file: Pick<File, 'name' | 'size'>): FileProblem | null {
  if (!/\.(csv|tsv|txt|zip)$/i.test(file.name)) return 'type';
  if (file.size > MAX_IMPORT_BYTES) return 'too_large';
  return file.size === 0 ? 'empty' : null;
}

/** `12.5 MB`. */
export function megabytes(bytes: number, locale: string): string {
  return numberFormat(locale, {
    style: 'unit',
    unit: 'megabyte',
    maximumFractionDigits: 1,
  }).format(bytes / 1024 / 1024);
}

const IMPORTED_TYPES = { lists: 'list', tags: 'tag' } as const;

/**
 * The list that each of the tool's lists or tags is linked to: the only one that an action adds it for, or removes it
 * for. By the id of the tool's.
 */
export function linkedListsOf(
  actions: readonly Pick<Action, 'type' | 'integration_id' | 'trigger' | 'operation' | 'target'>[],
  { integration, kind }: { integration: string; kind: 'lists' | 'tags' },
  lists: readonly Pick<List, 'id'>[],
): ReadonlyMap<string, string> {
  const known = new Set(lists.map(({ id }) => id));
  const found = new Map<string, Set<string>>();
  for (const { type, integration_id, trigger, operation, target } of actions) {
    if (integration_id !== integration || type !== IMPORTED_TYPES[kind]) continue;
    const follows =
      (trigger.event === 'subscribed' && operation !== 'remove') ||
      (trigger.event === 'unsubscribed' && operation === 'remove');
    const { id } = target;
    if (!follows || typeof id !== 'string') continue;
    const ids = trigger.list_ids.filter((listId) => known.has(listId));
    found.set(id, new Set([...(found.get(id) ?? []), ...ids]));
  }
  return new Map(
    [...found].flatMap(([id, [listId, ...others]]) =>
      listId !== undefined && others.length === 0 ? [[id, listId]] : [],
    ),
  );
}
