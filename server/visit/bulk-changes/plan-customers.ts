import { emailKey } from '#contract/email-key.ts';
import type { BulkChangeRecord, StoredUndoPlan } from '#db/tables.ts';
import { findCustomerByEmail } from '#server/audience/customers/customers.ts';
import { decryptPerson, emailBeforeChoice } from '#server/audience/evidence/evidence.ts';
import type { CustomerState } from '#server/audience/evidence/transitions.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';
import { idsFrom } from './bulk-changes.ts';
import {
  choicesSince,
  type CustomerToUndo,
  customersWithIds,
  type PastChoiceRow,
  subscriptionsWithTimes,
} from './bulk-changes.sql.ts';
import { planUndo, type UndoPlan } from './plan-undo.ts';

/** What an undo does to one customer, as they stand. */
export interface PlannedCustomer {
  customer: CustomerToUndo;
  before: CustomerState;
  plan: UndoPlan;
  /** The address that comes back; null: it stays. */
  email: string | null;
}

/** Says what the undo of a bulk change does to these customers. Reads only. */
export async function planCustomers(
  services: Services,
  site: SiteDb,
  about: BulkChangeRecord,
  ids: readonly string[],
  listIds: ReadonlySet<string>,
): Promise<PlannedCustomer[]> {
  const customers = await customersWithIds(site, ids);
  const subscriptions = Map.groupBy(await subscriptionsWithTimes(site, ids), (one) => one.customer_id);
  const choices = Map.groupBy(await choicesSince(site, ids, idsFrom(about)), (one) => one.customer_id);
  const planned: PlannedCustomer[] = [];
  for (const customer of customers) {
    const own = subscriptions.get(customer.id) ?? [];
    const before = {
      globalUnsubscribe: customer.global_unsubscribe,
      pausedUntil: customer.paused_until,
      wrongRecipientAt: customer.wrong_recipient_at,
      subscriptions: new Map(own.map((one) => [one.list_id, one.subscribed])),
    };
    const changedAt = new Map(own.map((one) => [one.list_id, one.changed_at]));
    const past = (choices.get(customer.id) ?? []).map((choice) => ({
      ...choice,
      isOurs: isOfBulkChange(about, choice),
    }));
    const plan = planUndo({ ...before, changedAt }, past, { listIds, now: services.clock.now() });
    planned.push(
      await withAddress(services, site, { customer, before, plan: goneOr(customer, plan), email: null }),
    );
  }
  return planned;
}

export function isOfBulkChange({ prefix, from_id, to_id }: BulkChangeRecord, choice: PastChoiceRow): boolean {
  return (
    choice.source !== 'undo' &&
    choice.replaced !== null &&
    choice.save_id?.startsWith(prefix) === true &&
    choice.id >= from_id &&
    choice.id <= to_id
  );
}

/** Who was erased or merged has no state to restore. */
function goneOr({ erased_at, merged_into }: CustomerToUndo, plan: UndoPlan): UndoPlan {
  if (erased_at === null && merged_into === null) return plan;
  const reason = erased_at === null ? 'merged' : 'erased';
  return without(plan, () => true, { about: 'everything', list_id: null, reason });
}

/** Leaves out a part of what would be restored. */
function without(
  plan: UndoPlan,
  isLeftOut: (one: UndoPlan['restored'][number]) => boolean,
  kept: UndoPlan['kept'][number],
): UndoPlan {
  const restored = plan.restored.filter((one) => !isLeftOut(one));
  const isNothing = restored.length === 0;
  return {
    ...plan,
    restored,
    kept: [...plan.kept, kept],
    verdict: isNothing ? 'kept' : 'partly',
    emailBefore: restored.some(({ about }) => about === 'email') ? plan.emailBefore : null,
    isNew: false,
  };
}

async function withAddress(
  services: Services,
  site: SiteDb,
  planned: PlannedCustomer,
): Promise<PlannedCustomer> {
  const { customer, plan } = planned;
  if (plan.emailBefore === null) return planned;
  const sealed = await emailBeforeChoice(site, customer.id, plan.emailBefore);
  const email = sealed === undefined ? null : (decryptPerson(services.keyring, sealed)?.email ?? null);
  const holder = email === null ? undefined : await findCustomerByEmail(site, emailKey(email));
  if (email !== null && (holder === undefined || holder.id === customer.id)) return { ...planned, email };
  return { ...planned, plan: withoutAddress(plan) };
}

/** The address stays, because another customer has the previous one. */
export function withoutAddress(plan: UndoPlan): UndoPlan {
  const kept = { about: 'email', list_id: null, reason: 'email_taken' } as const;
  return without(plan, ({ about }) => about === 'email', kept);
}

export function storedPlan({ sequences, restored, kept }: UndoPlan): StoredUndoPlan {
  return { sequences, restored, kept };
}
