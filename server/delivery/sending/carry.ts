import type { ReasonedChoiceRow } from '#server/audience/evidence/evidence.ts';
import type { ActionRow } from '#server/delivery/actions/actions.sql.ts';
import type { Carried, Work } from '#server/delivery/deliveries/carried.ts';
import type { Services } from '#server/platform/services.ts';
import { evidenceParcel, sendEvidence } from './evidence-delivery.ts';
import type { Parcel } from './parcel.ts';
import { bringTool } from './tool-delivery.ts';
import { sendWebhook, webhookParcel } from './webhook-delivery.ts';

/** One attempt of a delivery, the way its action is carried. */
export function carry(services: Services, work: Work): Promise<Carried> {
  if (work.action.integration_id !== null) return bringTool(services, work);
  return work.action.type === 'evidence'
    ? sendEvidence(services, work.choice.site_id, work)
    : sendWebhook(services, work);
}

/** What an action without a tool would send about a choice; nothing is sent. */
export async function parcelFor(
  services: Services,
  about: { action: ActionRow; choice: ReasonedChoiceRow },
  messageId: string,
  marks: { test?: true } = {},
): Promise<Parcel> {
  return about.action.type === 'evidence'
    ? evidenceParcel(services, about, messageId, marks)
    : webhookParcel(services, about, messageId, marks);
}
