import type { Dashboard } from '#contract/dashboard.ts';
import type { ChartPoint } from '#web/ui/BarChart.tsx';
import { dateFormat } from '../../i18n/formats.ts';

/** Days and weeks are in UTC. */
export function pointsOf(
  { periods, step }: Pick<Dashboard, 'periods' | 'step'>,
  locale: string,
  weekOf: (day: string) => string,
): ChartPoint[] {
  const format = (options: Intl.DateTimeFormatOptions) => dateFormat(locale, { ...options, timeZone: 'UTC' });
  const short = format({ day: 'numeric', month: 'short' });
  const long = format(
    step === 'day'
      ? { weekday: 'long', day: 'numeric', month: 'long' }
      : { day: 'numeric', month: 'long', year: 'numeric' },
  );
  return periods.map((at) => {
    const date = new Date(at);
    const day = long.format(date);
    return { key: at, short: short.format(date), long: step === 'day' ? day : weekOf(day) };
  });
}

type Moves = Pick<Dashboard['lists'][number], 'joins' | 'leaves'>;

/** Of one list, or of all together. */
export function movesOf(
  lists: readonly (Moves & { list_id: string })[],
  listId: string | null,
  periods: number,
): Moves {
  const chosen = lists.filter((list) => listId === null || list.list_id === listId);
  const add = (pick: (list: Moves) => readonly number[]) =>
    Array.from({ length: periods }, (_, index) =>
      chosen.reduce((all, list) => all + (pick(list)[index] ?? 0), 0),
    );
  return { joins: add((list) => list.joins), leaves: add((list) => list.leaves) };
}

export function total(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0);
}

/** Of fewer, or where it grew more than tenfold, a percentage says nothing: both numbers do. */
const LEAST_COMPARED = 20;
const MOST_GROWTH = 9;

/**
 * The change compared with the previous range; `share` is of what was before, negative where it fell. It is `close` where
 * the share would be rounded to 0%, and `numbers` where a percentage would mislead.
 */
export function comparisonOf({ now, before }: { now: number; before: number }): {
  kind: 'more' | 'fewer' | 'same' | 'close' | 'numbers' | 'none';
  share: number;
} {
  if (now === before) return { kind: 'same', share: 0 };
  if (before === 0) return { kind: 'none', share: 0 };
  const share = (now - before) / before;
  if (before < LEAST_COMPARED || share > MOST_GROWTH) return { kind: 'numbers', share };
  if (Math.abs(share) < 0.005) return { kind: 'close', share };
  return { kind: share > 0 ? 'more' : 'fewer', share };
}

/** Whether anything happened in the previous range. */
export function hasBefore({
  customers,
  choices,
  joins,
  leaves,
}: Pick<Dashboard, 'joins' | 'leaves'> &
  Record<'customers', Pick<Dashboard['customers'], 'created'>> & {
    choices: Pick<Dashboard['choices'], 'before'>;
  }): boolean {
  return [customers.created, choices, joins, leaves].some(({ before }) => before > 0);
}

type Connected = Dashboard['integrations'][number];
export type Endpoint = Dashboard['endpoints'][number];
type Carried = Pick<Dashboard, 'deliveries' | 'integrations' | 'endpoints' | 'choices' | 'lists'>;
export type UnsentList = Pick<Dashboard['lists'][number], 'list_id' | 'name'>;

/** What most needs an owner, with the integration or action that it is about. */
export type Problem =
  | { kind: 'credentials' | 'key' | 'failing' | 'switched_off' | 'resting'; integration: Connected }
  | { kind: 'endpoint_off' | 'endpoint_failing'; endpoint: Endpoint }
  | { kind: 'failed' | 'waiting'; count: number }
  | { kind: 'unsent'; count: number; first: UnsentList }
  | { kind: 'unconnected' };

/** Whether solving it takes an owner or admin, who look after the tools. */
export const isForAdmin = (problem: Problem): boolean =>
  problem.kind === 'unconnected' || ('integration' in problem && problem.kind !== 'resting');

export interface Summary {
  /**
   * How much of what was to be sent in the range has arrived. `all`: each change is in the tools. `delivered`: so is
   * each delivery, but no tool got any, or changes may not have been sent. `unsent`: customers chose, and nothing was
   * sent.
   */
  kind: 'all' | 'delivered' | 'some' | 'none' | 'unsent';
  /** Deliveries, as `total`; one change may have several. */
  arrived: number;
  total: number;
  problem: Problem | null;
  /** Webhook and evidence actions that we turned off, apart from the one that the problem is about. */
  alsoOff: readonly Endpoint[];
}

/** Lists that no action sends to a tool, of a site that has one. */
export function unsentLists({
  integrations,
  lists,
}: Pick<Dashboard, 'integrations' | 'lists'>): UnsentList[] {
  return integrations.length === 0 ? [] : lists.filter((list) => !list.is_sent);
}

/** The dashboard's first sentence. */
export function summaryOf(figures: Carried): Summary {
  const { arrived, waiting, failed } = figures.deliveries;
  const total = arrived + waiting + failed;
  const nothing = figures.choices.now === 0 ? 'none' : 'unsent';
  const everything = areAllInTools(figures) ? 'all' : 'delivered';
  const kind = total === 0 ? nothing : arrived === total ? everything : 'some';
  const problem = problemOf(figures);
  const named = problem !== null && 'endpoint' in problem ? problem.endpoint : null;
  const alsoOff = figures.endpoints.filter((one) => one.state === 'switched_off' && one !== named);
  return { kind, arrived, total, problem, alsoOff };
}

/** Said only where it is known of each change. */
function areAllInTools(figures: Carried): boolean {
  const { choices, integrations } = figures;
  const hasTool = integrations.some(({ last_arrival_at }) => last_arrival_at !== null);
  return hasTool && choices.now > 0 && choices.unsent === 0 && unsentLists(figures).length === 0;
}

function problemOf(figures: Carried): Problem | null {
  const { deliveries, integrations, endpoints } = figures;
  const { arrived, waiting, failed } = deliveries;
  const first = (is: (one: Connected) => boolean) => integrations.find(is);
  const refused = first(({ needs_credentials }) => needs_credentials);
  if (refused) return { kind: refused.has_key_alone ? 'key' : 'credentials', integration: refused };
  const off = first(({ health }) => health === 'switched_off');
  if (off) return { kind: 'switched_off', integration: off };
  const failing = first(({ health }) => health === 'needs_attention');
  if (failing) return { kind: 'failing', integration: failing };
  const endpoint = endpoints.find(({ state }) => state === 'switched_off') ?? endpoints[0];
  if (endpoint) {
    return { kind: endpoint.state === 'switched_off' ? 'endpoint_off' : 'endpoint_failing', endpoint };
  }
  if (failed > 0) return { kind: 'failed', count: failed };
  const resting = first(({ health }) => health === 'resting');
  if (resting) return { kind: 'resting', integration: resting };
  if (waiting > 0) return { kind: 'waiting', count: waiting };
  const unsent = unsentLists(figures);
  const [list] = unsent;
  if (list) return { kind: 'unsent', count: unsent.length, first: list };
  return integrations.length === 0 && arrived === 0 ? { kind: 'unconnected' } : null;
}
