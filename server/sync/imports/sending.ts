import type { ImportOptions, SomeImportOptions } from '#contract/imports.ts';
import { invalidField } from '#server/platform/errors.ts';
import { applyChange, type Transition, transitionBetween } from '#server/audience/evidence/transitions.ts';
import { stateOfNewcomer, toolThatKnows } from '#server/audience/kept-opt-outs/kept-opt-outs.ts';
import type { ChoiceContext, ChoiceRules } from '#server/choices/choices/choices.ts';
import { wantedActions } from '#server/choices/choices/wanted-actions.ts';
import { matchActions } from '#server/delivery/actions/matching.ts';
import { OPT_OUTS } from '#server/delivery/actions/stops-in-tools.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { allIntegrations, connectorOf } from '#server/tools/integrations/integrations.ts';
import type { RowEvaluation } from './evaluate-row.ts';
import { recognizeExport } from './export-formats.ts';
import type { ImportedCustomer } from './find-customers.ts';
import type { ImportJob } from './imports.sql.ts';

/** The tool that people come from knows them already; the others get what they left, and more if the owner says so. */
export function sendingOf({
  options,
  created_at: since,
}: Pick<ImportJob, 'options' | 'created_at'>): Pick<ChoiceContext, 'toldBy' | 'sendsOnlyOptOuts'> {
  const { exported_from: integrationId, send_subscriptions: sends } = options;
  return {
    ...(integrationId === null ? {} : { toldBy: { integrationId, since } }),
    ...(sends ? {} : { sendsOnlyOptOuts: true }),
  };
}

type Sending = Pick<ImportOptions, 'send_subscriptions' | 'exported_from'>;

/** For a file: people who come from a connected tool are not sent on, unless the owner says so. */
export async function sendingOfFile(
  site: SiteDb,
  columns: readonly string[],
  fileName: string,
): Promise<Sending> {
  const tool = recognizeExport(columns, fileName)?.tool;
  const [origin, ...others] = (await allIntegrations(site)).filter((one) => connectorOf(one).name === tool);
  return {
    send_subscriptions: origin === undefined,
    exported_from: origin === undefined || others.length > 0 ? null : origin.id,
  };
}

/** @throws AppError `invalid_field` for a tool that the site does not have, and for one where people are read from another */
export async function optionsOf(
  site: SiteDb,
  { source, options }: Pick<ImportJob, 'source' | 'options'>,
  asked: SomeImportOptions,
): Promise<ImportOptions> {
  const { revive = false, send_subscriptions = options.send_subscriptions, exported_from } = asked ?? {};
  if (exported_from === undefined) return { ...options, revive, send_subscriptions };
  const field = 'options.exported_from';
  if (source === 'tool')
    throw invalidField(field, `${field}: people come from the tool that they are read from.`);
  const isThere =
    exported_from === null || (await allIntegrations(site)).some(({ id }) => id === exported_from);
  if (!isThere) throw invalidField(field, `${field}: this site doesn't have this integration.`);
  return { revive, send_subscriptions, exported_from };
}

const ENDPOINTS = 'endpoints';

/** The tools that are sent something when a row is applied; `endpoints` stands for all others. */
export function receiversOf(
  rules: ChoiceRules,
  job: Pick<ImportJob, 'options' | 'created_at'>,
  person: ImportedCustomer,
  evaluation: RowEvaluation,
): Set<string> {
  const { lists, actions } = rules;
  const { change, verdict } = evaluation;
  const before = person.state;
  const known = new Set(lists.map(({ id }) => id));
  const wanted = wantedActions(actions, sendingOf(job));
  const created =
    verdict === 'added' ? matchActions(wanted, { events: ['customer_created'], lists: [] }) : [];
  // A list that is still to be made has no action.
  const changed =
    change === null
      ? null
      : transitionBetween(
          before,
          applyChange(
            before,
            { ...change, lists: change.lists.filter((list) => known.has(list.list_id)) },
            lists,
          ),
          lists,
        );
  const matched = changed === null ? [] : matchActions(wanted, changed);
  const kept = actionsOfKept(rules, person, evaluation);
  return new Set([...created, ...matched, ...kept].map(({ integration_id: id }) => id ?? ENDPOINTS));
}

/**
 * Works out which kept opt-outs still hold for a new customer after their row was applied.
 * @returns null: none, or the customer isn't new
 */
export function heldOffByKept(
  { lists }: Pick<ChoiceRules, 'lists'>,
  { customer, state, kept }: ImportedCustomer,
  { change }: Pick<RowEvaluation, 'change'>,
): Transition | null {
  if (customer !== null || kept.length === 0) return null;
  const after = change === null ? state : applyChange(state, change, lists);
  const changed = transitionBetween(stateOfNewcomer(false, []), after, lists);
  const off = changed.lists.filter(({ subscribed }) => !subscribed);
  const events = changed.events.filter((event) => OPT_OUTS.includes(event));
  return off.length + events.length === 0 ? null : { ...changed, events, lists: off };
}

/** The actions that send these opt-outs: all but those of a tool that knows of them. */
function actionsOfKept(rules: ChoiceRules, person: ImportedCustomer, evaluation: RowEvaluation) {
  const off = heldOffByKept(rules, person, evaluation);
  if (off === null) return [];
  const knowing = toolThatKnows(person.kept);
  return matchActions(rules.actions, off).filter(({ integration_id: id }) => id === null || id !== knowing);
}

/** As the API answers it. */
export function presentTells(tells: Readonly<Record<string, number>>) {
  return Object.entries(tells)
    .filter(([, customers]) => customers > 0)
    .map(([id, customers]) => ({ integration_id: id === ENDPOINTS ? null : id, customers }));
}
