import type { EvidenceMessage } from '#contract/action-tests.ts';
import { screenLink } from '#server/accounts/sites/screen-link.ts';
import { findSite } from '#server/accounts/sites/sites.ts';
import { findChoice, type ReasonedChoiceRow } from '#server/audience/evidence/evidence.ts';
import type { ActionRow } from '#server/delivery/actions/actions.sql.ts';
import { evidenceMessage } from '#server/delivery/actions/evidence-message.ts';
import { signatureHeaders, signedRequest } from '#server/delivery/actions/signing.ts';
import type { Carried, Work } from '#server/delivery/deliveries/carried.ts';
import type { Services } from '#server/platform/services.ts';
import { evidenceMail, shownMail } from './evidence-mail.ts';
import { type Parcel, sendParcel } from './parcel.ts';

/** The signed record of a choice, for an address of the web or for a mailbox. */
export async function evidenceParcel(
  services: Services,
  { action, choice }: { action: ActionRow; choice: ReasonedChoiceRow },
  messageId: string,
  marks: { test?: true } = {},
): Promise<Parcel> {
  const record = evidenceMessage(services, choice);
  const message: EvidenceMessage = { ...record, data: { ...marks, ...record.data } };
  const body = JSON.stringify(message);
  const signable = { signer: action, messageId, body };
  const { url, email } = action.target;
  if (typeof email !== 'string') {
    return { request: signedRequest(services, { ...signable, url: String(url) }), mail: null };
  }
  const site = await findSite(services, choice.site_id);
  const mail = evidenceMail({
    to: email,
    siteName: site?.name ?? '',
    message,
    json: body,
    signature: signatureHeaders(services, signable),
    link: screenLink(services.config, choice.site_id, '/deliveries'),
  });
  return { request: shownMail(mail), mail };
}

/**
 * Carries the record of a choice. It is read at the last moment: the reason why somebody left is given afterwards, and
 * of somebody who was erased nothing is sent any more.
 */
export async function sendEvidence(
  services: Services,
  siteId: string,
  { delivery, action, choice }: Work,
): Promise<Carried> {
  const record = await services.database.readSite(siteId, (site) => findChoice(site, choice.id));
  if (record === undefined || record.person_salt === null) return { kind: 'nothing', why: 'erased' };
  return sendParcel(services, await evidenceParcel(services, { action, choice: record }, delivery.id));
}
