import type { BulkChangeRecord } from '#db/tables.ts';
import { applyChange, subscriberChanges, transitionBetween } from '#server/audience/evidence/transitions.ts';
import { type ChoiceRules, choiceRulesOf } from '#server/choices/choices/choices.ts';
import { matchActions } from '#server/delivery/actions/matching.ts';
import type { Job } from '#server/platform/queue.ts';
import type { Services } from '#server/platform/services.ts';
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
    for (const one of planned.filter(({ customer }) => added.has(customer.id))) {
      const effects = effectsOf(one, rules);
      if (effects.subscribes) counts.subscribes += 1;
      if (effects.unsubscribes) counts.unsubscribes += 1;
      for (const id of effects.actions) told[id] = (told[id] ?? 0) + 1;
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

/** What the customer gets or loses by the undo, and which actions run. */
function effectsOf({ before, plan, email }: PlannedCustomer, { lists, actions }: ChoiceRules) {
  if (plan.restored.length === 0) return { subscribes: false, unsubscribes: false, actions: [] };
  const after = applyChange(before, { restore: plan.restore });
  const changes = subscriberChanges(before, after);
  const transition = transitionBetween(before, after, lists);
  const events = [...transition.events, ...(email === null ? [] : (['email_changed'] as const))];
  return {
    subscribes: changes.some(({ value }) => value > 0),
    unsubscribes: changes.some(({ value }) => value < 0),
    actions: matchActions(actions, { events, lists: transition.lists }).map(({ id }) => id),
  };
}
