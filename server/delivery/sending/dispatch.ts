import { hasTestEmails, isTestEmail, testRulesOf } from '#server/accounts/sites/test-rules.ts';
import { decryptPerson, type ReasonedChoiceRow } from '#server/audience/evidence/evidence.ts';
import type { ActionRow } from '#server/delivery/actions/actions.sql.ts';
import { matchActions } from '#server/delivery/actions/matching.ts';
import type { AttemptResult, Work } from '#server/delivery/deliveries/attempt-result.ts';
import type { Services } from '#server/platform/services.ts';
import { outboundEvidence, sendEvidence } from './evidence-delivery.ts';
import type { OutboundMessage } from './outbound-message.ts';
import { syncCustomerToTool } from './tool-delivery.ts';
import { sendWebhook, outboundWebhook } from './webhook-delivery.ts';

/** Makes one attempt of a delivery, by the kind of its action. */
export async function dispatch(services: Services, work: Work): Promise<AttemptResult> {
  if (work.action.integration_id !== null) return syncCustomerToTool(services, work);
  if (await isAboutTestEmail(services, work)) return { kind: 'nothing', why: 'test' };
  // An owner may have made the action one for other choices since.
  if (matchActions([work.action], work.choice).length === 0) return { kind: 'nothing', why: 'overtaken' };
  return work.action.type === 'evidence'
    ? sendEvidence(services, work.choice.site_id, work)
    : sendWebhook(services, work);
}

/** The address may have become a test address since the choice. */
async function isAboutTestEmail(services: Services, { choice }: Work): Promise<boolean> {
  const rules = await testRulesOf(services, choice.site_id);
  if (!hasTestEmails(rules)) return false;
  return isTestEmail(rules, decryptPerson(services.keyring, choice)?.email ?? null);
}

/** The message that a webhook or evidence action would send about a choice; nothing is sent. */
export async function outboundMessageFor(
  services: Services,
  about: { action: ActionRow; choice: ReasonedChoiceRow },
  messageId: string,
  marks: { test?: true } = {},
): Promise<OutboundMessage> {
  return about.action.type === 'evidence'
    ? outboundEvidence(services, about, messageId, marks)
    : outboundWebhook(services, about, messageId, marks);
}
