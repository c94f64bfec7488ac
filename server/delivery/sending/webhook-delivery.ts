import { signedRequest } from '#server/delivery/actions/signing.ts';
import { webhookMessage } from '#server/delivery/actions/webhook.ts';
import type { CompletedAttempt, Work } from '#server/delivery/deliveries/attempt-result.ts';
import type { Services } from '#server/platform/services.ts';
import { type OutboundMessage, sendOutboundMessage } from './outbound-message.ts';

/** The choice as a webhook message. */
export function outboundWebhook(
  services: Services,
  { action, choice }: Pick<Work, 'action' | 'choice'>,
  messageId: string,
  marks: { test?: true } = {},
): OutboundMessage {
  const message = webhookMessage(services, action.event, choice);
  const request = signedRequest(services, {
    url: String(action.target['url']),
    signer: action,
    messageId,
    body: JSON.stringify({ ...message, data: { ...marks, ...message.data } }),
  });
  return { request, mail: null };
}

/** Sends the choice to the business's endpoint. */
export function sendWebhook(
  services: Services,
  { delivery, action, choice }: Work,
): Promise<CompletedAttempt> {
  const event = { ...action, event: delivery.event };
  return sendOutboundMessage(services, outboundWebhook(services, { action: event, choice }, delivery.id));
}
