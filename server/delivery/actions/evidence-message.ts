import type { EvidenceMessage } from '#contract/action-tests.ts';
import { presentEvidence, type ReasonedChoiceRow } from '#server/audience/evidence/evidence.ts';
import type { Services } from '#server/platform/services.ts';

/** The record of a choice as the API shows it, with its place in the chain. */
export function evidenceMessage(services: Services, choice: ReasonedChoiceRow): EvidenceMessage {
  return {
    type: 'evidence',
    timestamp: choice.occurred_at.toISOString(),
    data: presentEvidence(services, choice),
  };
}
