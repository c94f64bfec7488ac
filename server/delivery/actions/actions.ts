import type { z } from 'zod';
import type { Action, actionFields, updateAction as updateActionRoute } from '#contract/actions.ts';
import { recordChange } from '#server/accounts/audit-log/audit-log.ts';
import { changeSite, siteTag } from '#server/accounts/sites/change-site.ts';
import { allLists } from '#server/audience/lists/lists.ts';
import { oneAtATime, type SiteDb } from '#server/platform/database.ts';
import { AppError, invalidField, notFound } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { warnWithoutMailServer } from '#server/platform/email-warning.ts';
import * as statements from './actions.sql.ts';
import type { ActionRow } from './actions.sql.ts';
import { isEndpointType, requireEndpoint, requireEndpointAction } from './endpoint-actions.ts';
import { makeSecrets, rotateSecrets } from './signing.ts';
import { requireToolAction } from './tool-actions.ts';

export type { ActionRow, WaitingAction } from './actions.sql.ts';
export { allActions, enabledActions } from './actions.sql.ts';

const MAX_ACTIONS_OF_SITE = 200;

type ActionFields = z.output<typeof actionFields>;
type ActionChanges = z.output<(typeof updateActionRoute)['body']>;

function presentAction(
  { config }: Pick<Services, 'config'>,
  action: ActionRow,
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
    created_at: action.created_at.toISOString(),
    updated_at: action.updated_at.toISOString(),
    warnings:
      'email' in action.target
        ? warnWithoutMailServer(config, 'target.email', "this evidence won't be emailed")
        : [],
    ...(signingSecret === undefined ? {} : { signing_secret: signingSecret }),
  };
}

export async function listActions(services: Services, siteId: string): Promise<Action[]> {
  const rows = await services.database.readSite(siteId, statements.allActions);
  return rows.map((row) => presentAction(services, row));
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
  return presentAction(services, await services.database.readSite(siteId, (site) => requireAction(site, id)));
}

async function requireLists(site: SiteDb, listIds: readonly string[]): Promise<void> {
  if (listIds.length === 0) return;
  const known = new Set((await allLists(site)).map((list) => list.id));
  const unknown = listIds.findIndex((id) => !known.has(id));
  if (unknown >= 0)
    throw invalidField(
      `trigger.list_ids.${unknown}`,
      `trigger.list_ids.${unknown}: this site doesn't have this list.`,
    );
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

async function keepToolAction(site: SiteDb, input: ActionFields): Promise<Kept> {
  const { integrationId, operation, target } = await requireToolAction(site, input);
  return { integration_id: integrationId, operation, secrets_sealed: null, target };
}

export async function createAction(services: Services, siteId: string, input: ActionFields): Promise<Action> {
  const id = newId();
  const endpoint = isEndpointType(input.type)
    ? keepEndpoint(services, { site_id: siteId, id }, requireEndpointAction(services, input.type, input))
    : null;
  const now = services.clock.now();
  const row = await changeSite(services, siteId, async (site) => {
    await requireLists(site, input.trigger.list_ids);
    const { target, ...kept } = endpoint?.kept ?? (await keepToolAction(site, input));
    await oneAtATime(site, `actions:${siteId}`);
    if ((await statements.allActions(site)).length >= MAX_ACTIONS_OF_SITE) {
      throw new AppError('limit_reached', `A site can have up to ${MAX_ACTIONS_OF_SITE} actions.`);
    }
    const added = await statements.insertAction(site, {
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
    });
    await recordChange(services, site, 'action.created', added);
    return added;
  });
  return presentAction(services, row, endpoint?.secret);
}

export async function changeAction(
  services: Services,
  siteId: string,
  id: string,
  input: ActionChanges,
): Promise<Action> {
  return changeSite(services, siteId, async (site) => {
    const action = await requireAction(site, id);
    const target = await changedTarget(services, site, action, input.target);
    if (input.trigger !== undefined) await requireLists(site, input.trigger.list_ids);
    const rotated =
      input.rotate_secret === true && action.secrets_sealed !== null ? rotateSecrets(services, action) : null;
    const row = await statements.updateAction(site, id, {
      ...(input.name === undefined ? {} : { name: input.name }),
      ...(input.trigger === undefined
        ? {}
        : { event: input.trigger.event, list_ids: input.trigger.list_ids }),
      ...(target === undefined ? {} : { target: JSON.stringify(target) }),
      ...(rotated === null ? {} : { secrets_sealed: rotated.sealed }),
      // Switched on again by a person: the count of failing days starts anew.
      ...(input.enabled === undefined
        ? {}
        : { enabled: input.enabled, failing_since: null, disabled_reason: null }),
      updated_at: services.clock.now(),
    });
    if (row === undefined) throw notFound('This action');
    await recordActionChange(services, site, row, input, rotated !== null);
    return presentAction(services, row, rotated?.secret);
  });
}

async function recordActionChange(
  services: Services,
  site: SiteDb,
  row: ActionRow,
  { rotate_secret: _, ...others }: ActionChanges,
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
  if (isEndpointType(action.type)) return requireEndpoint(services, action.type, target);
  return (await requireToolAction(site, { ...action, target })).target;
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
