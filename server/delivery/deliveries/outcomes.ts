import {
  type Delivery,
  type DeliveryOutcome,
  FAILURE_CAUSES,
  type FailureCause,
} from '#contract/deliveries.ts';
import type { KeptOutcome } from '#db/tables.ts';
import type { Confirmation } from './attempt-result.ts';
import { nextConfirmationSeconds } from './confirmation-schedule.ts';

/** The outcome stored for a delivery that arrived, by its confirmation. */
export function outcomeOfConfirmation(confirmation: Confirmation, looks: number): KeptOutcome {
  switch (confirmation) {
    case 'there':
      return 'confirmed';
    case 'absent':
      return 'not_known';
    case 'unsaid':
      return 'accepted';
    case 'awaited':
      return 'awaits_person';
    case 'blocked':
      return 'blocked';
    case 'elsewhere':
    case 'not_asked':
      return nextConfirmationSeconds(confirmation, looks) === null ? 'unconfirmed' : 'checking';
  }
}

interface DeliveryState {
  status: Delivery['status'];
  /** null: not attempted yet, or older than this column. */
  outcome: KeptOutcome | null;
  isConfirmed: boolean;
  isForTool: boolean;
}

const isCause = (outcome: KeptOutcome | null): outcome is FailureCause =>
  FAILURE_CAUSES.some((one) => one === outcome);

/** The outcome of a delivery. The only place that decides it, for the API and all screens. */
export function outcomeOf(told: DeliveryState): { outcome: DeliveryOutcome; cause: FailureCause | null } {
  const { status, outcome: kept } = told;
  const cause = isCause(kept) ? kept : null;
  if (status === 'waiting' && kept === 'held') return { outcome: kept, cause };
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
