import type { z } from 'zod';
import type { Action, actionFields, updateAction as updateActionRoute } from '#contract/actions.ts';
import { overlapping } from '#contract/action-overlaps.ts';
import type { Warnings } from '#contract/warnings.ts';
import { recordChange } from '#server/accounts/audit-log/audit-log.ts';
import { changeSite, siteTag } from '#server/accounts/sites/change-site.ts';
import { allLists } from '#server/audience/lists/lists.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { AppError, invalidField, notFound } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { warnWithoutMailServer } from '#server/platform/email-warning.ts';
import { disabledBecauseOf } from '#server/tools/health/owner-notices.mails.ts';
import type { IntegrationRow } from '#server/tools/integrations/integrations.ts';
import * as statements from './actions.sql.ts';
import type { ActionRow } from './actions.sql.ts';
import {
  isEndpointType,
  refuseOwnEndpoint,
  requireEndpoint,
  requireEndpointAction,
} from './endpoint-actions.ts';
import { makeSecrets, rotateSecrets } from './signing.ts';
import { integrationsOf, requireToolAction } from './tool-actions.ts';

export type { ActionRow, WaitingAction } from './actions.sql.ts';
export { allActions, enabledActions, lockActions } from './actions.sql.ts';

const MAX_ACTIONS_OF_SITE = 200;

const CHANGED_MEANWHILE = () =>
  new AppError(
    'conflict',
    'updated_at: someone else changed this action in the meantime. Read it again, then repeat your changes.',
    { field: 'updated_at' },
  );

type ActionFields = z.output<typeof actionFields>;
type ActionChanges = z.output<(typeof updateActionRoute)['body']>;

const ruleOf = (action: ActionRow) => ({
  ...action,
  trigger: { event: action.event, list_ids: action.list_ids },
});

interface Beside {
  rules: readonly ReturnType<typeof ruleOf>[];
  lists: readonly { id: string }[];
}

async function readBeside(site: SiteDb): Promise<Beside> {
  const [rows, lists] = await Promise.all([statements.allActions(site), allLists(site)]);
  return { rules: rows.map(ruleOf), lists };
}

function warnOfOverlap(action: ActionRow, { rules, lists }: Beside): Warnings {
  const others = overlapping(ruleOf(action), rules, lists);
  if (others.length === 0) return [];
  const names = others.map(({ name }) => `"${name}"`);
  const message = `target: ${names.join(', ')} also takes customers from "${String(action.target['name'])}", for other lists. Someone who unsubscribes from one list may stop getting emails for the other. Add actions that add the subscribers of each list: they then stay until they leave the last one.`;
  return [{ code: 'overlap', field: 'target', message }];
}

function presentAction(
  { config }: Pick<Services, 'config'>,
  action: ActionRow,
  beside: Beside,
  signingSecret?: string,
): Action {
  return {
    id: action.id,
    type: action.type,
    name: action.name,
    enabled: action.enabled,
    integration_id: action.integration_id,
    trigger: { event: action.event, list_ids: action.list_ids },
    operation: action.operation,
    target: action.target,
    disabled_reason: action.disabled_reason,
    disabled_because: disabledBecauseOf(action.disabled_reason),
    target_gone_since: action.target_gone_at?.toISOString() ?? null,
    created_at: action.created_at.toISOString(),
    updated_at: action.updated_at.toISOString(),
    warnings: [
      ...('email' in action.target
        ? warnWithoutMailServer(config, 'target.email', "this evidence won't be emailed")
        : []),
      ...warnOfOverlap(action, beside),
    ],
    ...(signingSecret === undefined ? {} : { signing_secret: signingSecret }),
  };
}

export async function listActions(services: Services, siteId: string): Promise<Action[]> {
  const beside = await services.database.readSite(siteId, readBeside);
  return beside.rules.map((row) => presentAction(services, row, beside));
}

/** The site's actions as the worker needs them; kept between changes, see `changeSite`. */
export function actionsOf(services: Services, siteId: string): Promise<ActionRow[]> {
  return services.cache.get(siteTag(siteId), 'actions', () =>
    services.database.readSite(siteId, statements.allActions),
  );
}

export async function requireAction(site: SiteDb, id: string): Promise<ActionRow> {
  const row = await statements.findAction(site, id);
  if (row === undefined) throw notFound('This action');
  return row;
}

export async function getAction(services: Services, siteId: string, id: string): Promise<Action> {
  return services.database.readSite(siteId, async (site) =>
    presentAction(services, await requireAction(site, id), await readBeside(site)),
  );
}

async function requireLists(
  site: SiteDb,
  triggers: readonly Pick<ActionFields['trigger'], 'list_ids'>[],
): Promise<void> {
  if (triggers.every((trigger) => trigger.list_ids.length === 0)) return;
  const known = new Set((await allLists(site)).map((list) => list.id));
  for (const { list_ids: listIds } of triggers) {
    const unknown = listIds.findIndex((id) => !known.has(id));
    if (unknown < 0) continue;
    throw invalidField(
      `trigger.list_ids.${unknown}`,
      `trigger.list_ids.${unknown}: this site doesn't have this list.`,
    );
  }
}

/** What sets one kind of action apart from the other when it is kept. */
type Kept = Pick<ActionRow, 'integration_id' | 'operation' | 'secrets_sealed'> & { target: object };

function keepEndpoint(
  services: Services,
  owner: { site_id: string; id: string },
  target: object,
): { kept: Kept; secret: string } {
  const { sealed, secret } = makeSecrets(services, owner);
  return { kept: { integration_id: null, operation: null, secrets_sealed: sealed, target }, secret };
}

function keepToolAction(integrations: ReadonlyMap<string, IntegrationRow>, input: ActionFields): Kept {
  const { integrationId, operation, target } = requireToolAction(integrations, input);
  return { integration_id: integrationId, operation, secrets_sealed: null, target };
}

export async function createAction(services: Services, siteId: string, input: ActionFields): Promise<Action> {
  return changeSite(services, siteId, async (site) => {
    const [added] = await addActions(services, site, [input]);
    if (added === undefined) throw new Error('An action was to be added');
    return presentAction(services, added.row, await readBeside(site), added.secret);
  });
}

/** Adds actions inside the caller's transaction. @returns each with its signing secret, if it has one */
export async function addActions(
  services: Services,
  site: SiteDb,
  inputs: readonly ActionFields[],
): Promise<{ row: ActionRow; secret: string | undefined }[]> {
  if (inputs.length === 0) return [];
  const made = inputs.map((input) => {
    const id = newId();
    const owner = { site_id: site.id, id };
    const endpoint = isEndpointType(input.type)
      ? keepEndpoint(services, owner, requireEndpointAction(services, input.type, input))
      : null;
    return { id, input, endpoint };
  });
  for (const { type, target } of inputs) if (isEndpointType(type)) await refuseOwnEndpoint(services, target);
  await requireLists(
    site,
    inputs.map(({ trigger }) => trigger),
  );
  const integrations = await integrationsOf(site, inputs);
  const now = services.clock.now();
  const rows = made.map(({ id, input, endpoint }) => {
    const { target, ...kept } = endpoint?.kept ?? keepToolAction(integrations, input);
    return {
      ...kept,
      id,
      type: input.type,
      name: input.name,
      enabled: input.enabled,
      event: input.trigger.event,
      list_ids: input.trigger.list_ids,
      target: JSON.stringify(target),
      failing_since: null,
      disabled_reason: null,
      created_at: now,
      updated_at: now,
      deleted_at: null,
    };
  });
  await statements.lockActions(site);
  if ((await statements.allActions(site)).length + rows.length > MAX_ACTIONS_OF_SITE) {
    throw new AppError('limit_reached', `A site can have up to ${MAX_ACTIONS_OF_SITE} actions.`);
  }
  const added = await statements.insertActions(site, rows);
  for (const row of added) await recordChange(services, site, 'action.created', row);
  const secrets = new Map(made.map(({ id, endpoint }) => [id, endpoint?.secret]));
  return added.map((row) => ({ row, secret: secrets.get(row.id) }));
}

/** @throws AppError `not_found`, `invalid_field`; `conflict` if `updated_at` is given and outdated */
export async function changeAction(
  services: Services,
  siteId: string,
  id: string,
  input: ActionChanges,
): Promise<Action> {
  return changeSite(services, siteId, async (site) => {
    const action = await requireAction(site, id);
    const target = await changedTarget(services, site, action, input.target);
    if (input.trigger !== undefined) await requireLists(site, [input.trigger]);
    const rotated =
      input.rotate_secret === true && action.secrets_sealed !== null ? rotateSecrets(services, action) : null;
    const changes = {
      ...(input.name === undefined ? {} : { name: input.name }),
      ...(input.trigger === undefined
        ? {}
        : { event: input.trigger.event, list_ids: input.trigger.list_ids }),
      ...(target === undefined ? {} : { target: JSON.stringify(target), target_gone_at: null }),
      ...(rotated === null ? {} : { secrets_sealed: rotated.sealed }),
      // Switched on again by a person: the count of failing days starts over.
      ...(input.enabled === undefined
        ? {}
        : { enabled: input.enabled, failing_since: null, disabled_reason: null }),
      updated_at: services.clock.now(),
    };
    const known = input.updated_at === undefined ? undefined : new Date(input.updated_at);
    const row = await statements.updateAction(site, id, changes, known);
    if (row === undefined) throw known === undefined ? notFound('This action') : CHANGED_MEANWHILE();
    await recordActionChange(services, site, row, input, rotated !== null);
    return presentAction(services, row, await readBeside(site), rotated?.secret);
  });
}

async function recordActionChange(
  services: Services,
  site: SiteDb,
  row: ActionRow,
  { rotate_secret: _, updated_at: __, ...others }: ActionChanges,
  isRotated: boolean,
): Promise<void> {
  if (isRotated) await recordChange(services, site, 'action.secret_rotated', row);
  const isChanged = Object.values(others).some((value) => value !== undefined);
  if (isChanged) await recordChange(services, site, 'action.changed', row);
}

async function changedTarget(
  services: Services,
  site: SiteDb,
  action: ActionRow,
  target: ActionChanges['target'],
): Promise<object | undefined> {
  if (target === undefined) return undefined;
  if (isEndpointType(action.type)) {
    await refuseOwnEndpoint(services, target);
    return requireEndpoint(services, action.type, target);
  }
  return requireToolAction(await integrationsOf(site, [action]), { ...action, target }).target;
}

/** It is kept for the log, switched off and without its secret. */
export async function removeAction(services: Services, siteId: string, id: string): Promise<void> {
  const now = services.clock.now();
  await changeSite(services, siteId, async (site) => {
    const gone = { deleted_at: now, enabled: false, secrets_sealed: null };
    const row = await statements.updateAction(site, id, gone);
    if (row === undefined) throw notFound('This action');
    await recordChange(services, site, 'action.deleted', row);
  });
}
