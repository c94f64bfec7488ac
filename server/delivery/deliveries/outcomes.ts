import {
  type Delivery,
  type DeliveryOutcome,
  FAILURE_CAUSES,
  type FailureCause,
} from '#contract/deliveries.ts';
import type { KeptOutcome } from '#db/tables.ts';
import type { Seen } from './carried.ts';
import { nextLookSeconds } from './looks.ts';

/** What is kept of a delivery that arrived, by where the tool was seen. */
export function outcomeSeen(seen: Seen, looks: number): KeptOutcome {
  switch (seen) {
    case 'there':
      return 'confirmed';
    case 'absent':
      return 'not_known';
    case 'unsaid':
      return 'accepted';
    case 'elsewhere':
    case 'not_asked':
      return nextLookSeconds(seen, looks) === null ? 'unconfirmed' : 'checking';
  }
}

interface Told {
  status: Delivery['status'];
  /** null: nothing came of it yet, or it is from before this was kept. */
  outcome: KeptOutcome | null;
  isConfirmed: boolean;
  isForTool: boolean;
}

const isCause = (outcome: KeptOutcome | null): outcome is FailureCause =>
  FAILURE_CAUSES.some((one) => one === outcome);

/** What came of a delivery: the one place that says it, for the API and all screens. */
export function outcomeOf(told: Told): { outcome: DeliveryOutcome; cause: FailureCause | null } {
  const { status, outcome: kept } = told;
  const cause = isCause(kept) ? kept : null;
  if (status === 'waiting') return { outcome: cause === null ? 'on_its_way' : 'retrying', cause };
  if (status === 'failed') {
    const isOff = kept === 'tool_off' || kept === 'action_off';
    return { outcome: isOff ? kept : 'failed', cause };
  }
  if (!told.isForTool && (kept === null || kept === 'accepted')) return { outcome: 'received', cause: null };
  if (kept === null || isCause(kept)) {
    return { outcome: told.isConfirmed ? 'confirmed' : 'accepted', cause: null };
  }
  return { outcome: kept, cause: null };
}
