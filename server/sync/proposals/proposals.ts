import type { z } from 'zod';
import type { actionFields } from '#contract/actions.ts';
import type { Language } from '#contract/fields.ts';
import { MAX_LISTS_OF_PAGE, preferencePageFields } from '#contract/preference-pages.ts';
import type {
  applyProposals as applyProposalsRoute,
  ProposedAction,
  ProposedList,
  Proposals,
} from '#contract/proposals.ts';
import type { RouteResponse } from '#contract/route.ts';
import type { Site } from '#contract/sites.ts';
import { recordChange } from '#server/accounts/audit-log/audit-log.ts';
import { changeSite } from '#server/accounts/sites/change-site.ts';
import { findSite } from '#server/accounts/sites/sites.ts';
import { addLists, allLists, lockLists } from '#server/audience/lists/lists.ts';
import { addActions, allActions, lockActions } from '#server/delivery/actions/actions.ts';
import {
  addFirstPage,
  addListsToPages,
  pagesWithListCounts,
} from '#server/pages/preference-pages/preference-pages.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { notFound } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import { toolClientFor } from '#server/tools/clients/tool-client.ts';
import {
  asCredentialsError,
  connectorOf,
  type IntegrationRow,
  requireIntegration,
} from '#server/tools/integrations/integrations.ts';
import { cleanLine } from './names.ts';
import { propose, type SiteSide, type ToolResource, type ToolSide, topicKinds } from './propose.ts';

type Wanted = z.output<(typeof applyProposalsRoute)['body']>;
type Created = RouteResponse<typeof applyProposalsRoute>;

/** @throws AppError `credentials_refused`, `unavailable` */
async function readTool(
  services: Services,
  integration: IntegrationRow,
  purpose: 'reading' | 'owner',
): Promise<ToolSide> {
  const connector = connectorOf(integration);
  const resources: ToolResource[] = [];
  try {
    const { api } = toolClientFor(services, connector, integration, { purpose });
    for (const kind of topicKinds(connector)) {
      const found = await connector.resources(api, kind);
      resources.push(...found.map((one) => ({ ...one, kind })));
    }
  } catch (error) {
    throw asCredentialsError(error);
  }
  // In the same order whenever it is read, because the keys come from it.
  const inOrder = resources.toSorted(
    (one, other) => one.name.localeCompare(other.name, 'en') || one.id.localeCompare(other.id, 'en'),
  );
  return { connector, integrationId: integration.id, resources: inOrder };
}

async function readSite(site: SiteDb, name: string): Promise<SiteSide> {
  const lists = await allLists(site);
  return { name, lists, actions: await allActions(site), pages: await pagesWithListCounts(site) };
}

async function requireSiteOf(services: Services, siteId: string): Promise<Site> {
  const site = await findSite(services, siteId);
  if (site === null) throw notFound('This site');
  return site;
}

/** Reads the tool and changes nothing. @throws AppError `credentials_refused`, `unavailable` */
export async function getProposals(
  services: Services,
  siteId: string,
  id: string,
  language: Language,
): Promise<Proposals> {
  const integration = await services.database.readSite(siteId, (site) => requireIntegration(site, id));
  const tool = await readTool(services, integration, 'reading');
  const { name } = await requireSiteOf(services, siteId);
  return propose(tool, await services.database.readSite(siteId, (site) => readSite(site, name)), language);
}

/**
 * Creates what is wanted and still missing, all or nothing: what there is to create is computed again while nobody else
 * can change the lists or add actions, so that two calls at the same time create it once.
 * @throws AppError `credentials_refused`, `unavailable`, `limit_reached`; `checks_failed` without an override
 */
export async function applyProposals(
  services: Services,
  siteId: string,
  userId: string | null,
  id: string,
  wanted: Wanted,
): Promise<Created> {
  const integration = await services.database.readSite(siteId, (site) => requireIntegration(site, id));
  const tool = await readTool(services, integration, 'owner');
  const { name, url } = await requireSiteOf(services, siteId);
  return changeSite(services, siteId, async (site) => {
    await lockLists(site);
    await lockActions(site);
    const { name: toolName } = await requireIntegration(site, id);
    const links = new Map(wanted.links.map(({ key, list_id }) => [key, list_id]));
    const proposals = propose(tool, await readSite(site, name), wanted.language, links);
    return create(services, site, proposals, {
      wanted,
      userId,
      siteUrl: url,
      integration: { id, name: toolName },
    });
  });
}

interface Order {
  wanted: Wanted;
  userId: string | null;
  siteUrl: string;
  integration: { id: string; name: string };
}

async function create(
  services: Services,
  site: SiteDb,
  proposals: Proposals,
  order: Order,
): Promise<Created> {
  const { wanted, integration } = order;
  const names = new Map(wanted.create.map(({ key, name }) => [key, name]));
  const isWanted = ({ key, exists }: { key: string; exists: boolean }) => names.has(key) && !exists;
  const asNew = new Set(wanted.links.flatMap(({ key, list_id }) => (list_id === null ? [key] : [])));
  const isRenamed = ({ key }: ProposedList) => names.get(key) !== undefined;
  // Its action is what a repeated call finds it by: the name may not tell it from the list that was proposed.
  const isFoundAgain = (list: ProposedList) =>
    (!asNew.has(list.key) && !isRenamed(list)) || list.actions.some(isWanted);
  const missing = proposals.lists
    .filter((list) => isWanted(list) && isFoundAgain(list))
    .map((list) => ({ ...list, name: names.get(list.key) ?? list.name }));
  const { lists, idOf } = await createLists(services, site, missing);
  const isPageWanted = proposals.page !== null && isWanted(proposals.page);
  const isInLanguages = proposals.languages !== null && isWanted(proposals.languages);
  const page = isPageWanted ? await createPage(services, site, order, proposals, isInLanguages) : null;
  const pages = proposals.pages.filter(({ key }) => names.has(key));
  const extended = await extendPages(services, site, order, pages, lists);
  const inputsOf = (proposed: readonly ProposedAction[], listId?: string) =>
    proposed.filter(isWanted).map((action) => actionOf(integration, action, names.get(action.key), listId));
  const inputs = proposals.lists.flatMap((list) => {
    const listId = idOf(list);
    return listId === undefined ? [] : inputsOf(list.actions, listId);
  });
  const added = await addActions(services, site, [...inputs, ...inputsOf(proposals.actions)]);
  const actions = added.map(({ row }) => ({ id: row.id, name: row.name }));
  const created =
    lists.length +
    actions.length +
    extended.length +
    (page === null ? 0 : 1) +
    (page && isInLanguages ? 1 : 0);
  return { lists, page, extended_pages: extended, actions, skipped: names.size - created };
}

async function createLists(services: Services, site: SiteDb, missing: readonly ProposedList[]) {
  const rows = await addLists(
    site,
    services.clock.now(),
    missing.map(({ name, description, translations }) => ({ name, description, translations })),
  );
  for (const row of rows) await recordChange(services, site, 'list.created', row);
  const created = new Map(missing.map(({ key }, index) => [key, rows[index]?.id]));
  return {
    lists: rows.map((row) => ({ id: row.id, name: row.name })),
    idOf: (list: ProposedList) => list.id ?? created.get(list.key),
  };
}

/** With every list of the site, in its order. */
async function createPage(
  services: Services,
  site: SiteDb,
  { userId, siteUrl, wanted }: Order,
  { page, languages }: Proposals,
  isInLanguages: boolean,
): Promise<Created['page']> {
  const lists = await allLists(site);
  if (page === null || lists.length === 0) return null;
  const { name, custom_path, language } = page;
  const input = preferencePageFields.parse({
    name,
    custom_path,
    attrs: { language },
    active_languages: isInLanguages ? languages?.languages : [],
    lists: lists.slice(0, MAX_LISTS_OF_PAGE).map(({ id }) => ({ id })),
  });
  const { id } = await addFirstPage(services, site, userId, { ...input, override: wanted.override });
  return { id, name, url: `${siteUrl}/${custom_path}` };
}

/** Puts the lists that were created on pages that are there. */
async function extendPages(
  services: Services,
  site: SiteDb,
  { userId, siteUrl, wanted }: Order,
  pages: Proposals['pages'],
  lists: Created['lists'],
): Promise<Created['extended_pages']> {
  if (lists.length === 0) return [];
  const extended = await addListsToPages(services, site, userId, {
    ids: pages.map(({ id }) => id),
    listIds: lists.map(({ id }) => id),
    override: wanted.override,
  });
  return extended.map(({ id, name, custom_path }) => ({ id, name, url: `${siteUrl}/${custom_path}` }));
}

function actionOf(
  integration: Order['integration'],
  { type, event, operation, target }: ProposedAction,
  name: string | undefined,
  listId: string | undefined,
): z.output<typeof actionFields> {
  const words = [`${integration.name}:`, operation, target?.name ?? type.replaceAll('_', ' ')];
  return {
    type,
    name: name ?? cleanLine(words.join(' '), 100),
    enabled: true,
    integration_id: integration.id,
    trigger: { event, list_ids: listId === undefined ? [] : [listId] },
    operation,
    target: target ?? {},
  };
}
