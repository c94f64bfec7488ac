import type { Action } from '#contract/actions.ts';
import type { Evidence } from '#contract/choices.ts';
import type { Difference } from '#contract/comparisons.ts';
import type { CustomerDetails, ListedCustomer } from '#contract/customers.ts';
import type { Delivery } from '#contract/deliveries.ts';
import { isSameAddress } from '#contract/email-key.ts';
import type { Integration } from '#contract/integrations.ts';
import type { Sayso } from '../../sdk/src/index.ts';

/** As much of a customer's history as is read to explain what they get now. */
const MOST_RECORDS = 100;
/** Open differences of a tool are not listed by customer: no more of them are looked through. */
const MOST_DIFFERENCES = 1000;

export interface ToolFacts {
  integration: Pick<Integration, 'id' | 'name' | 'provider' | 'status' | 'status_reason' | 'rests_until'>;
  /** When all customers were last compared with it. */
  compared_at: string | null;
  /** What is not the same there, for this customer. */
  differences: Difference[];
  /** false: there are more open differences than were looked through. */
  is_complete: boolean;
}

/** What the API says about one email. */
export interface Facts {
  email: string;
  customer: CustomerDetails | null;
  /** Emails that start the same, where nobody has this one. */
  similar: string[];
  lists: Awaited<ReturnType<Sayso['getCustomerLists']>>['results'];
  /** Newest first. */
  evidence: Evidence[];
  /** Newest first. */
  deliveries: Delivery[];
  pending: Awaited<ReturnType<Sayso['listPendingChanges']>>['results'];
  actions: Pick<Action, 'id' | 'name' | 'type' | 'enabled' | 'integration_id' | 'trigger' | 'operation'>[];
  tools: ToolFacts[];
}

/** Looks for exactly this email, and for those that start like it. */
export async function findCustomer(
  sayso: Sayso,
  email: string,
): Promise<{ found: ListedCustomer | null; similar: string[] }> {
  const { results } = await sayso.listCustomers({ query: { search: email, limit: 25 } });
  return {
    found: results.find((one) => isSameAddress(one.email, email)) ?? null,
    similar: results.map((one) => one.email),
  };
}

async function toolFactsOf(sayso: Sayso, integration: Integration, customerId: string): Promise<ToolFacts> {
  const { id, name, provider, status, status_reason, rests_until } = integration;
  const { results: comparisons } = await sayso.listComparisons({ id, query: { limit: 1 } });
  const differences: Difference[] = [];
  let seen = 0;
  for await (const one of sayso.each('listDifferences', { id, query: { status: 'open', limit: 100 } })) {
    if (one.customer_id === customerId) differences.push(one);
    if ((seen += 1) >= MOST_DIFFERENCES) break;
  }
  return {
    integration: { id, name, provider, status, status_reason, rests_until },
    compared_at: comparisons[0]?.finished_at ?? null,
    differences,
    is_complete: seen < MOST_DIFFERENCES,
  };
}

/** Reads all that explains what somebody gets. Only reads. */
export async function factsOf(sayso: Sayso, email: string): Promise<Facts> {
  const [{ found, similar }, { results: integrations }, { results: actions }] = await Promise.all([
    findCustomer(sayso, email),
    sayso.listIntegrations(),
    sayso.listActions(),
  ]);
  const known = {
    email,
    actions: actions.map(({ id, name, type, enabled, integration_id, trigger, operation }) => ({
      ...{ id, name, type, enabled, integration_id, trigger, operation },
    })),
  };
  if (found === null) {
    const nothing = { lists: [], evidence: [], deliveries: [], pending: [], tools: [] };
    return { ...known, ...nothing, customer: null, similar };
  }
  const { id } = found;
  const [customer, lists, evidence, deliveries, pending, tools] = await Promise.all([
    sayso.getCustomer({ id }),
    sayso.getCustomerLists({ id }),
    sayso.listCustomerEvidence({ id, query: { limit: MOST_RECORDS } }),
    sayso.listDeliveries({ query: { customer_id: id, limit: MOST_RECORDS } }),
    sayso.listPendingChanges({ id }),
    Promise.all(integrations.map((integration) => toolFactsOf(sayso, integration, id))),
  ]);
  return {
    ...known,
    ...{ customer, similar: [], tools, lists: lists.results, pending: pending.results },
    ...{ evidence: evidence.results, deliveries: deliveries.results },
  };
}
