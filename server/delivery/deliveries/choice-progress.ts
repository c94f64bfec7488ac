import type { ProgressState } from '#contract/public-preferences.ts';
import type { KeptOutcome } from '#db/tables.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { SKIP_REASONS } from './attempt-result.ts';
import { type DeliveryRow, deliveriesOfLatestChoice } from './deliveries.sql.ts';

type DeliveryOutcome = Pick<DeliveryRow, 'status' | 'outcome' | 'attempt_count'>;

/** There was nothing to send, or nothing is sent because of test mode. */
const NEEDLESS = new Set<KeptOutcome | null>([...SKIP_REASONS, 'not_known', 'held']);

/** The least certain first: that is what is true of all. */
const LEAST_CERTAIN_FIRST = ['delayed', 'waiting', 'received', 'confirmed'] as const;

function stateOf({ status, outcome, attempt_count: attempts }: DeliveryOutcome): ProgressState {
  if (status === 'failed' || outcome === 'unconfirmed') return 'delayed';
  if (status === 'waiting') return attempts > 0 ? 'delayed' : 'waiting';
  // The tool accepted it, and is read back until it shows it.
  if (outcome === 'checking') return 'waiting';
  return outcome === 'confirmed' ? 'confirmed' : 'received';
}

/** How far the customer's latest choice has got; `none` if no tool or endpoint is sent it. */
export async function progressOfLatestChoice(site: SiteDb, customerId: string): Promise<ProgressState> {
  const deliveries = await deliveriesOfLatestChoice(site, customerId);
  const states = new Set(deliveries.filter(({ outcome }) => !NEEDLESS.has(outcome)).map(stateOf));
  return LEAST_CERTAIN_FIRST.find((state) => states.has(state)) ?? 'none';
}
