import type { Attempt } from '#contract/deliveries.ts';
import { webhookBody, webhookRequest } from '#server/features/actions/webhook.ts';
import { OutboundError } from '#server/platform/outbound.ts';
import { retryAfterSeconds } from '#server/platform/retry-after.ts';
import type { Services } from '#server/platform/services.ts';
import { type Attempted, keptResponse, type Work } from './carried.ts';

function outcomeOf(status: number): Attempt['outcome'] {
  if (status >= 200 && status < 300) return 'arrived';
  if (status === 401 || status === 403) return 'bad_credentials';
  if (status === 404 || status === 410) return 'not_found';
  if (status === 429) return 'rate_limited';
  return status >= 500 ? 'unavailable' : 'refused';
}

/** Carries the choice itself to the business's endpoint. */
export async function sendWebhook(
  services: Services,
  siteId: string,
  { delivery, action, choice }: Work,
): Promise<Attempted> {
  const request = webhookRequest(services, {
    url: String(action.target['url']),
    secretsSealed: action.secrets_sealed ?? '',
    messageId: delivery.id,
    body: webhookBody(services, siteId, delivery.event, choice),
  });
  const common = { kind: 'attempted', request, isConfirmed: false } as const;
  try {
    const response = await services.outbound.send(request);
    const outcome = outcomeOf(response.status);
    return {
      ...common,
      outcome,
      response: keptResponse(response.status, response.body),
      error: outcome === 'arrived' ? null : `The receiver answered ${response.status}.`,
      retryAfterSeconds: retryAfterSeconds(response.headers['retry-after'], services.clock.now()),
      isFinal: response.status === 410,
    };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return {
      ...common,
      outcome: error.kind === 'blocked' ? 'refused' : 'unavailable',
      response: null,
      error: error.message,
      retryAfterSeconds: null,
      isFinal: false,
    };
  }
}
