import type { BulkChangeRecord, ToldByUndo } from '#db/tables.ts';
import { applyChange, subscriberChanges, transitionBetween } from '#server/audience/evidence/transitions.ts';
import { type ChoiceRules, choiceRulesOf } from '#server/choices/choices/choices.ts';
import { allActions } from '#server/delivery/actions/actions.ts';
import { matchActions } from '#server/delivery/actions/matching.ts';
import { deliveriesOfSequences } from '#server/delivery/deliveries/deliveries.ts';
import { askedBy } from '#server/delivery/sending/tool-changes.ts';
import { type UndoEffect, undoEffectOf } from '#server/delivery/sending/undone-effects.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { Job } from '#server/platform/queue.ts';
import type { Services } from '#server/platform/services.ts';
import { allIntegrations, connectorOf } from '#server/tools/integrations/integrations.ts';
import { choicesOfBulkChange, insertCustomers } from './bulk-changes.sql.ts';
import { planCustomers, type PlannedCustomer, storedPlan } from './plan-customers.ts';
import { countsOf, lockForJob, step } from './undo-steps.ts';

const SLICE = 200;

/** Works out what the undo does to the customers of the next choices. A repeated run skips what was done. */
export async function checkSlice(services: Services, job: Job): Promise<void> {
  const rules = await choiceRulesOf(services, job.site_id);
  const listIds = new Set(rules.lists.map(({ id }) => id));
  await services.database.inSite(job.site_id, async (site) => {
    const undo = await lockForJob(site, job, 'checking');
    if (undo === null) return;
    const about: BulkChangeRecord = undo.about;
    const slice = await choicesOfBulkChange(site, about, { after: undo.cursor, limit: SLICE });
    const ids = [...new Set(slice.map((choice) => choice.customer_id))];
    const planned = await planCustomers(services, site, about, ids, listIds);
    const added = await insertCustomers(
      site,
      undo.id,
      planned.map(({ customer, plan }) => ({
        customer_id: customer.id,
        verdict: plan.verdict,
        plan: storedPlan(plan),
        is_new: plan.isNew,
      })),
    );
    const counts = { ...undo.counts };
    const told = { ...undo.told };
    const fresh = planned.filter(({ customer }) => added.has(customer.id));
    const inTools = await readTools(site, about, fresh);
    for (const one of fresh) {
      const effects = effectsOf(one, rules);
      if (effects.subscribes) counts.subscribes += 1;
      if (effects.unsubscribes) counts.unsubscribes += 1;
      for (const id of effects.actions) {
        const known = told[id] ?? NOBODY_TOLD;
        const what = UNDO_EFFECTS[inTools(id, one)];
        told[id] = { ...known, [what]: known[what] + 1 };
      }
    }
    const isLast = slice.length < SLICE;
    await step(services, site, undo, {
      status: isLast ? 'checked' : 'checking',
      cursor: slice.at(-1)?.id ?? undo.cursor,
      counts: JSON.stringify(await countsOf(site, { ...undo, counts })),
      told: JSON.stringify(told),
    });
  });
}

const NOBODY_TOLD: ToldByUndo = { customers: 0, stays: 0, unknown: 0, unsent: 0 };

/** As they are counted. */
const UNDO_EFFECTS = {
  takes_back: 'customers',
  stays: 'stays',
  unknown: 'unknown',
  unsent: 'unsent',
} as const satisfies Record<UndoEffect, keyof ToldByUndo>;

/** @returns what an action that the undo runs would do in its tool for a customer */
async function readTools(
  site: SiteDb,
  about: BulkChangeRecord,
  planned: readonly PlannedCustomer[],
): Promise<(actionId: string, one: PlannedCustomer) => UndoEffect> {
  const [actions, integrations, deliveries] = await Promise.all([
    allActions(site),
    allIntegrations(site),
    deliveriesOfSequences(site, {
      customerIds: planned.map(({ customer }) => customer.id),
      sequences: [...new Set(planned.flatMap(({ plan }) => plan.sequences))],
      integrationId: null,
    }),
  ]);
  const actionOf = new Map(actions.map((action) => [action.id, action]));
  const connectors = new Map(integrations.map((one) => [one.id, connectorOf(one)]));
  const ofCustomer = Map.groupBy(deliveries, (one) => one.customer_id);
  return (actionId, { customer, plan }) => {
    const action = actionOf.get(actionId);
    const integrationId = action?.integration_id ?? null;
    const connector = integrationId === null ? undefined : connectors.get(integrationId);
    // Webhooks and evidence carry the choice itself, and a tool that reported the change made it there.
    const isOrigin = about.kind === 'incoming' && about.integration_id === integrationId;
    if (action === undefined || connector === undefined || isOrigin) return 'takes_back';
    const asked = askedBy(connector, action);
    const own = (ofCustomer.get(customer.id) ?? []).filter(
      (one) => one.integration_id === integrationId && plan.sequences.includes(one.sequence),
    );
    return asked === null ? 'stays' : undoEffectOf(connector, asked, own);
  };
}

/** What the customer gets or loses by the undo, and which actions run. */
function effectsOf({ before, plan, email }: PlannedCustomer, { lists, actions }: ChoiceRules) {
  if (plan.restored.length === 0) return { subscribes: false, unsubscribes: false, actions: [] };
  const after = applyChange(before, { restore: plan.restore }, lists);
  const changes = subscriberChanges(before, after);
  const transition = transitionBetween(before, after, lists);
  const events = [...transition.events, ...(email === null ? [] : (['email_changed'] as const))];
  return {
    subscribes: changes.some(({ value }) => value > 0),
    unsubscribes: changes.some(({ value }) => value < 0),
    actions: matchActions(actions, { events, lists: transition.lists }).map(({ id }) => id),
  };
}
