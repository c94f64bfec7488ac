import type { EvidenceMessage } from '#contract/action-tests.ts';
import { stopRecordsLink, whyNoRecords } from '#server/accounts/accounts/record-mailboxes.ts';
import { screenLink } from '#server/accounts/sites/screen-link.ts';
import { findSite } from '#server/accounts/sites/sites.ts';
import { findChoice, type ReasonedChoiceRow } from '#server/audience/evidence/evidence.ts';
import type { ActionRow } from '#server/delivery/actions/actions.sql.ts';
import { evidenceMessage } from '#server/delivery/actions/evidence-message.ts';
import { signatureHeaders, signedRequest } from '#server/delivery/actions/signing.ts';
import type { AttemptResult, Work } from '#server/delivery/deliveries/attempt-result.ts';
import type { Services } from '#server/platform/services.ts';
import { evidenceMail, shownMail } from './evidence-mail.ts';
import { type OutboundMessage, sendOutboundMessage } from './outbound-message.ts';

/** The signed evidence record of a choice, for a URL or a mailbox. */
export async function outboundEvidence(
  services: Services,
  { action, choice }: { action: ActionRow; choice: ReasonedChoiceRow },
  messageId: string,
  marks: { test?: true } = {},
): Promise<OutboundMessage> {
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
    stop: stopRecordsLink(services, choice.site_id, email),
  });
  return { request: shownMail(mail), mail, withheld: await whyNoRecords(services, choice.site_id, email) };
}

/**
 * Sends the evidence record of a choice. Reads it at the last moment, because the reason for leaving is given
 * afterwards and nothing is sent about an erased customer.
 */
export async function sendEvidence(
  services: Services,
  siteId: string,
  { delivery, action, choice }: Work,
): Promise<AttemptResult> {
  const record = await services.database.readSite(siteId, (site) => findChoice(site, choice.id));
  if (record === undefined || record.person_salt === null) return { kind: 'nothing', why: 'erased' };
  return sendOutboundMessage(
    services,
    await outboundEvidence(services, { action, choice: record }, delivery.id),
  );
}
