import { isTargeted, TOOL_ACTIONS, type ToolTarget } from '#contract/actions.ts';
import { changeSite, siteTag } from '#server/accounts/sites/change-site.ts';
import { type Change, type Connector, ConnectorError, type ToolApi } from '#server/connectors/connector.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';
import { toolClientFor } from '#server/tools/clients/tool-client.ts';
import type { OwnerNotice } from '#server/tools/health/owner-notices.mails.ts';
import { connectorOf, findIntegration } from '#server/tools/integrations/integrations.ts';
import { type ActionRow, allActions, updateAction } from './actions.sql.ts';

/*
 * Actions whose list, tag or group was deleted in the tool, or belongs to another account. Most tools take a removal from
 * something that isn't there for one that had nothing to do, so the tool is asked what it has wherever nothing came of a
 * change.
 */

/** The tool doesn't have what a change is about. */
export class TargetGone extends ConnectorError {
  constructor({ name }: Connector, change: Change) {
    const target = 'target' in change ? change.target.name : '';
    super(
      'not_found',
      `"${target}" is no longer in ${name}, or it is in another account. Choose another target in the action.`,
    );
  }
}

/** A tool's answer about a target counts for this long. */
const REMEMBERED_MS = 5 * 60_000;

/** Whether a tool has something, by what it is, and until when that is remembered. */
type Said = Map<string, { isThere: boolean; until: number }>;

/** By account. */
const remembered = new WeakMap<object, Said>();

function saidOf({ cacheKey }: ToolApi): Said {
  const said = remembered.get(cacheKey) ?? new Map();
  remembered.set(cacheKey, said);
  return said;
}

/** @throws ConnectorError where the tool can't be asked */
async function isThere(
  connector: Connector,
  api: ToolApi,
  { kind, id }: { kind: ToolTarget; id: string },
  said: Said,
): Promise<boolean> {
  if (kind === 'tags' && connector.makesTags === true) return true;
  const now = api.now().getTime();
  const known = said.get(`${kind}:${id}`);
  if (known !== undefined && known.until > now) return known.isThere;
  const remember = (one: string, isOne: boolean) =>
    said.set(`${kind}:${one}`, { isThere: isOne, until: now + REMEMBERED_MS });
  if (connector.has !== undefined) {
    const has = await connector.has(api, kind, id);
    remember(id, has);
    return has;
  }
  const resources = await connector.resources(api, kind);
  remember(id, false);
  for (const resource of resources) remember(resource.id, true);
  return said.get(`${kind}:${id}`)?.isThere === true;
}

/** A tool that can't be asked right now counts as having what a change is about. */
export async function isTargetGone(connector: Connector, api: ToolApi, change: Change): Promise<boolean> {
  if (!('target' in change)) return false;
  try {
    const target = { kind: TOOL_ACTIONS[change.type].target, id: change.target.id };
    return !(await isThere(connector, api, target, saidOf(api)));
  } catch (error) {
    if (error instanceof ConnectorError) return false;
    throw error;
  }
}

/**
 * For a change that came to nothing.
 * @throws TargetGone
 */
export async function requireTarget(connector: Connector, api: ToolApi, change: Change): Promise<void> {
  if (await isTargetGone(connector, api, change)) throw new TargetGone(connector, change);
}

/**
 * Marks the action.
 * @returns the notice to send to the owners; null if an action of this tool is marked already
 */
export async function markTargetGone(
  services: Services,
  site: SiteDb,
  { id, integration_id: integrationId, name }: ActionRow,
): Promise<OwnerNotice | null> {
  const marked = (await allActions(site)).filter(
    (one) => one.integration_id === integrationId && one.target_gone_at !== null,
  );
  if (marked.some((one) => one.id === id)) return null;
  await updateAction(site, id, { target_gone_at: services.clock.now() });
  await services.cache.announce(site, siteTag(site.id));
  if (marked.length > 0 || integrationId === null) return null;
  const tool = (await findIntegration(site, integrationId))?.name ?? '';
  return { kind: 'target_gone', name, tool };
}

/** Asks the tool for what each of its actions is about, and marks them accordingly. What it doesn't tell stays as it is. */
export async function checkTargets(services: Services, siteId: string, integrationId: string): Promise<void> {
  const [integration, actions] = await services.database.readSite(siteId, (site) =>
    Promise.all([findIntegration(site, integrationId), allActions(site)]),
  );
  if (integration === undefined) return;
  const connector = connectorOf(integration);
  const { api } = toolClientFor(services, connector, integration);
  // The owner waits for what is so now.
  const said: Said = new Map();
  const changed: { id: string; target_gone_at: Date | null }[] = [];
  for (const { id, type, integration_id, target, target_gone_at } of actions) {
    if (integration_id !== integrationId || !isTargeted(type)) continue;
    try {
      const wanted = { kind: TOOL_ACTIONS[type].target, id: String(target['id']) };
      const isGone = !(await isThere(connector, api, wanted, said));
      if (isGone === (target_gone_at !== null)) continue;
      changed.push({ id, target_gone_at: isGone ? services.clock.now() : null });
    } catch (error) {
      if (!(error instanceof ConnectorError)) throw error;
      return;
    }
  }
  if (changed.length === 0) return;
  await changeSite(services, siteId, async (site) => {
    for (const { id, ...mark } of changed) await updateAction(site, id, mark);
  });
}
