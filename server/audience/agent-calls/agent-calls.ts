import type { AgentCall } from '#contract/agent-calls.ts';
import { emailKey } from '#contract/email-key.ts';
import { recordChange } from '#server/accounts/audit-log/audit-log.ts';
import { findCustomerByEmail } from '#server/audience/customers/customers.ts';
import type { Limit } from '#server/platform/request-limits.ts';
import type { Services } from '#server/platform/services.ts';

/** More than an agent needs that works with a person; too few to bury other entries. */
const CALLS_A_MINUTE: Limit = {
  name: 'agent-calls',
  points: 60,
  perSeconds: 60,
  exceeded: "This key's agent made more than 60 calls this minute.",
};
const CALLS_A_DAY: Limit = {
  name: 'agent-calls-day',
  points: 5000,
  perSeconds: 86_400,
  exceeded: "This key's agent made more than 5,000 calls today.",
};

/**
 * Writes a call by an agent into the audit log, before the agent gets an answer (decision 060).
 * @param callerId of the API key, or of the account whose access token it is
 * @throws AppError `rate_limited`
 */
export async function recordAgentCall(
  services: Services,
  siteId: string,
  callerId: string,
  { tool, email, bulk_change_id: bulkChangeId }: AgentCall,
): Promise<void> {
  await services.limits.use(CALLS_A_MINUTE, callerId);
  await services.limits.use(CALLS_A_DAY, callerId);
  await services.database.inSite(siteId, async (site) => {
    const customer = email === undefined ? undefined : await findCustomerByEmail(site, emailKey(email));
    const id = customer?.id ?? bulkChangeId;
    const event = customer === undefined ? 'agent.called' : 'agent.called_about_customer';
    await recordChange(services, site, event, { name: tool, ...(id === undefined ? {} : { id }) });
  });
}
