import { signedRequest } from '#server/delivery/actions/signing.ts';
import { webhookMessage } from '#server/delivery/actions/webhook.ts';
import type { Attempted, Work } from '#server/delivery/deliveries/carried.ts';
import type { Services } from '#server/platform/services.ts';
import { type Parcel, sendParcel } from './parcel.ts';

/** The choice itself, for the business's endpoint. */
export function webhookParcel(
  services: Services,
  { action, choice }: Pick<Work, 'action' | 'choice'>,
  messageId: string,
  marks: { test?: true } = {},
): Parcel {
  const message = webhookMessage(services, action.event, choice);
  const request = signedRequest(services, {
    url: String(action.target['url']),
    signer: action,
    messageId,
    body: JSON.stringify({ ...message, data: { ...marks, ...message.data } }),
  });
  return { request, mail: null };
}

/** Carries the choice to the business's endpoint. */
export function sendWebhook(services: Services, { delivery, action, choice }: Work): Promise<Attempted> {
  const event = { ...action, event: delivery.event };
  return sendParcel(services, webhookParcel(services, { action: event, choice }, delivery.id));
}
