import type { Delivery, FailureCause } from '#contract/deliveries.ts';
import type deliveries from '../../locales/en/deliveries.json';

export type OutcomeKey = keyof typeof deliveries.outcomes;

export type OutcomeTone = 'success' | 'neutral' | 'warning' | 'danger';

type Told = Pick<Delivery, 'outcome' | 'cause' | 'tool_name'>;

const OF_TOOL: Partial<Record<FailureCause, OutcomeKey>> = {
  bad_credentials: 'retrying_bad_credentials',
  rate_limited: 'retrying_rate_limited',
  unavailable: 'retrying_unavailable',
};

function retrying({ cause, tool_name }: Told): OutcomeKey {
  if (tool_name !== null) return (cause === null ? undefined : OF_TOOL[cause]) ?? 'retrying';
  return cause === 'unavailable' ? 'endpoint_retrying_unavailable' : 'endpoint_retrying';
}

function failed({ cause, tool_name }: Told): OutcomeKey {
  if (cause === null) return 'failed';
  if (tool_name !== null) return `failed_${cause}`;
  return cause === 'unavailable' ? 'endpoint_failed_unavailable' : 'endpoint_failed';
}

/** The key, in `outcomes`, of the sentence that describes a delivery's outcome. */
export function outcomeKey(told: Told): OutcomeKey {
  const { outcome, tool_name } = told;
  switch (outcome) {
    case 'on_its_way':
      return tool_name === null ? 'endpoint_on_its_way' : 'on_its_way';
    case 'received':
      return 'endpoint_received';
    case 'retrying':
      return retrying(told);
    case 'failed':
      return failed(told);
    case 'confirmed':
    case 'accepted':
    case 'checking':
    case 'unconfirmed':
    case 'not_known':
    case 'overtaken':
    case 'erased':
    case 'disconnected':
    case 'tool_off':
    case 'action_off':
      return outcome;
  }
}

export function outcomeTone(outcome: Delivery['outcome']): OutcomeTone {
  switch (outcome) {
    case 'confirmed':
    case 'accepted':
    case 'received':
      return 'success';
    case 'not_known':
    case 'overtaken':
    case 'erased':
    case 'disconnected':
      return 'neutral';
    case 'on_its_way':
    case 'retrying':
    case 'checking':
    case 'unconfirmed':
      return 'warning';
    case 'failed':
    case 'tool_off':
    case 'action_off':
      return 'danger';
  }
}

export const hadNothingToDo = (outcome: Delivery['outcome']): boolean => outcomeTone(outcome) === 'neutral';
