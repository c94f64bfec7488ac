import type { WebhookMessage } from '#contract/action-tests.ts';
import type { ChoiceEvent } from '#contract/choices.ts';
import { type ChoiceRow, decryptPerson } from '#server/audience/evidence/evidence.ts';
import type { Services } from '#server/platform/services.ts';

/** What a webhook carries, the same in every attempt. */
export function webhookMessage(
  services: Pick<Services, 'keyring'>,
  event: ChoiceEvent,
  choice: ChoiceRow,
): WebhookMessage {
  return {
    type: event,
    timestamp: choice.occurred_at.toISOString(),
    data: {
      site: choice.site_id,
      customer: { id: choice.customer_id, email: decryptPerson(services.keyring, choice)?.email ?? null },
      lists: choice.lists.map(({ list_id: id, name, subscribed, declined }) => ({
        id,
        name,
        subscribed,
        ...(declined && { declined }),
      })),
      global_unsubscribe: choice.global_unsubscribe,
      paused_until: choice.paused_until?.toISOString() ?? null,
      source: choice.source,
      sequence: choice.sequence,
    },
  };
}
