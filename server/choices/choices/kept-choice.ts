import { addressHashesOf, erasedAsLeftAt } from '#server/audience/customers/customers.ts';
import { lastChoiceWith, listsChosenAt } from '#server/audience/evidence/evidence.ts';
import {
  changeByKept,
  deleteKept,
  EVERYTHING,
  type KeptOptOut,
  lockKeptOptOuts,
  recordOfKept,
  toolThatKnows,
} from '#server/audience/kept-opt-outs/kept-opt-outs.ts';
import type { SiteDb, Statement } from '#server/platform/database.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { actionsToNotify } from './actions-to-notify.ts';
import type { ChoiceContext, ChoiceRules } from './choices.ts';
import { type Draft, draftChoice, type LockedCustomer } from './draft.ts';
import { NO_VISIT, NOTHING_SHOWN } from './no-visit.ts';
import type { PreparedChoice } from './save-batch.ts';

/** What opt-outs that were kept about an address mean for the customer who has it now. */
export interface KeptChoice {
  /** null: they had left all of it already. */
  prepared: PreparedChoice | null;
  statements: Statement[];
}

/** All opt-outs of an address that a customer is about to have: also of somebody who had it, left, and was erased. */
export async function optOutsOfEmail(services: Services, site: SiteDb, email: string): Promise<KeptOptOut[]> {
  const [kept, erasedAt] = await Promise.all([
    lockKeptOptOuts(services, site, email),
    erasedAsLeftAt(site, addressHashesOf(services, site.id, email)),
  ]);
  if (erasedAt === null) return kept;
  const left = {
    about: EVERYTHING,
    kind: 'unsubscribed',
    integration_id: null,
    happened_at: erasedAt,
  } as const;
  return [...kept, left];
}

/**
 * Prepares the choice that follows the one which gives the customer the address, in the same transaction.
 * @param locked the customer before both
 * @param first the choice that gives them the address
 */
export async function prepareKeptChoice(
  services: Services,
  site: SiteDb,
  { lists, actions, test }: ChoiceRules,
  { customer, changedAt }: LockedCustomer,
  first: Draft,
  kept: readonly KeptOptOut[],
): Promise<KeptChoice> {
  if (kept.length === 0) return { prepared: null, statements: [] };
  const { email, sequence, evidence_hash } = first.customer;
  const at = first.choice.occurred_at;
  const before = first.after;
  const chosenAt = await listsChosenAt(site, customer.id);
  for (const { list_id: id } of first.changed) chosenAt.set(id, at);
  const backAt = await lastChoiceWith(site, customer.id, ['global_resubscribed'], 'pause_end');
  const change = changeByKept({ state: before, chosenAt, backAt }, kept, lists);
  const context = contextOfKept(kept, first.choice.id);
  const after = {
    customer: { ...customer, email, sequence, evidence_hash },
    before,
    ...(changedAt !== undefined && { changedAt }),
  };
  const made = { id: newId(), at, firstEvents: [], context, test };
  const draft = change && draftChoice(services.keyring, site.id, lists, after, change, made);
  return {
    prepared: draft && {
      draft,
      actions: await actionsToNotify(site, customer.id, actions, context),
      isHeld: test.isOn,
    },
    statements: [deleteKept(site.id, addressHashesOf(services, site.id, email))],
  };
}

/** As if the tool had reported it now. */
function contextOfKept(kept: readonly KeptOptOut[], choiceId: string): ChoiceContext {
  const integrationId = toolThatKnows(kept);
  const since = new Date(Math.min(...kept.map(({ happened_at: at }) => at.getTime())));
  return {
    source: 'tool',
    authority: 'system',
    saveId: `tool:${integrationId ?? ''}:kept:${choiceId}`,
    ...NO_VISIT,
    shown: { ...NOTHING_SHOWN, kept_opt_outs: recordOfKept(kept) },
    ...(integrationId !== null && { toldBy: { integrationId, since } }),
  };
}
