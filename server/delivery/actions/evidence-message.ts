import type { EvidenceMessage } from '#contract/action-tests.ts';
import { presentEvidence, type ReasonedChoiceRow } from '#server/audience/evidence/evidence.ts';
import type { Services } from '#server/platform/services.ts';

/** The record of a choice as the API shows it, with its place in the chain. */
export function evidenceMessage(services: Services, choice: ReasonedChoiceRow): EvidenceMessage {
  // What test addresses choose is never sent; `test` in a message marks one that an owner sent to try an action.
  const { test: _, ...data } = presentEvidence(services, choice);
  return {
    type: 'evidence',
    timestamp: choice.occurred_at.toISOString(),
    data,
  };
}
