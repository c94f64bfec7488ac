import type { z } from 'zod';
import type {
  createIntegration,
  Integration,
  updateIntegration as updateIntegrationRoute,
  WebhookState,
} from '#contract/integrations.ts';
import { recordChange } from '#server/accounts/audit-log/audit-log.ts';
import { changeSite } from '#server/accounts/sites/change-site.ts';
import {
  type Connector,
  ConnectorError,
  type Credentials,
  type Resource,
  type ResourceKind,
  type ToolAccount,
} from '#server/connectors/connector.ts';
import { expediteDeliveriesTo } from '#server/delivery/deliveries/deliveries.ts';
import { checkTargets } from '#server/delivery/actions/gone-targets.ts';
import { advisoryLock, type SiteDb } from '#server/platform/database.ts';
import { AppError, invalidField, notFound } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { bringIn, takeOut } from '#server/sync/inbound/webhook-registration.ts';
import { deleteReconciliationsOf } from '#server/sync/reconciliation/reconciliation.sql.ts';
import { resumeLinkSync, requireToolField, setLinkField } from '#server/sync/tool-links/link-field.ts';
import { allLinkFields, findLinkField, type LinkFieldRow } from '#server/sync/tool-links/link-fields.sql.ts';
import { toolClientFor, toolApiWithCredentials } from '#server/tools/clients/tool-client.ts';
import {
  type Auth,
  requireCredentials,
  encryptAuth,
  encryptWebhookSecret,
} from '#server/tools/integrations/credentials.ts';
import { hookUrl } from '#server/tools/integrations/hook-address.ts';
import {
  accountColumns,
  accountOf,
  allIntegrations,
  asCredentialsError,
  connectorOf,
  countActionsOf,
  insertIntegration,
  type IntegrationRow,
  isOtherAccount,
  requireConnector,
  requireIntegration,
  updateIntegration,
} from '#server/tools/integrations/integrations.ts';
import { nextNightlyRun } from '#server/tools/schedule/nightly-schedule.ts';
import { scheduleTask, unscheduleTasks } from '#server/tools/schedule/scheduled-tasks.ts';
import { deleteRenewal, saveRenewal, renewalOf } from '#server/tools/tokens/tokens.ts';

const MAX_INTEGRATIONS_OF_SITE = 50;

type NewIntegration = z.output<(typeof createIntegration)['body']>;
type IntegrationChanges = z.output<(typeof updateIntegrationRoute)['body']>;

/** What an integration is shown with. */
interface Shown {
  /** All of its site. */
  all: readonly IntegrationRow[];
  field: LinkFieldRow | undefined;
}

function isSameAccount(one: IntegrationRow, other: IntegrationRow): boolean {
  if (one.id === other.id || one.provider !== other.provider) return false;
  return one.account_id !== '' && one.account_id === other.account_id;
}

/** By then a worker has set up the webhook of a tool, unless none is at work. */
const PREPARED_WITHIN_MS = 10 * 60_000;

/** null: the tool is polled. */
function webhookStateOf({ clock }: Services, row: IntegrationRow): WebhookState | null {
  if (connectorOf(row).inbound.kind !== 'webhook') return null;
  if (row.webhook_registered_at !== null) return 'registered';
  if (row.webhook_called_at !== null) return 'by_hand';
  const isFresh = clock.now().getTime() - row.updated_at.getTime() < PREPARED_WITHIN_MS;
  return row.webhook_checked_at === null && isFresh ? 'pending' : 'missing';
}

function present(services: Services, integration: IntegrationRow, { all, field }: Shown): Integration {
  const { inbound } = connectorOf(integration);
  const isCalled = inbound.kind === 'webhook';
  return {
    id: integration.id,
    provider: integration.provider,
    name: integration.name,
    account_name: integration.account_name,
    same_account_as: all.filter((one) => isSameAccount(integration, one)).map(({ id }) => id),
    connected_by: integration.connected_by,
    status: integration.status,
    status_reason: integration.status_reason,
    failing_since: integration.failing_since?.toISOString() ?? null,
    rests_until: integration.rests_until?.toISOString() ?? null,
    webhook_url: isCalled ? hookUrl(services, integration.site_id, integration.id) : null,
    webhook_setup: isCalled ? inbound.setup : null,
    webhook_state: webhookStateOf(services, integration),
    webhook_checked_at: integration.webhook_checked_at?.toISOString() ?? null,
    webhook_reason: isCalled ? integration.webhook_reason : null,
    has_webhook_secret: integration.webhook_secret_sealed !== '',
    link_field: field === undefined ? null : { id: field.field_id, name: field.field_name },
    created_at: integration.created_at.toISOString(),
    updated_at: integration.updated_at.toISOString(),
  };
}

export async function listIntegrations(services: Services, siteId: string): Promise<Integration[]> {
  const [rows, fields] = await services.database.readSite(siteId, (site) =>
    Promise.all([allIntegrations(site), allLinkFields(site)]),
  );
  return rows.map((row) =>
    present(services, row, {
      all: rows,
      field: fields.find(({ integration_id }) => integration_id === row.id),
    }),
  );
}

async function readAndPresent(services: Services, site: SiteDb, row: IntegrationRow): Promise<Integration> {
  return present(services, row, {
    all: await allIntegrations(site),
    field: await findLinkField(site, row.id),
  });
}

export async function getIntegration(services: Services, siteId: string, id: string): Promise<Integration> {
  return services.database.readSite(siteId, async (site) =>
    readAndPresent(services, site, await requireIntegration(site, id)),
  );
}

/** @throws AppError `limit_reached` */
export async function requireRoom(site: SiteDb): Promise<void> {
  await advisoryLock(site, `integrations:${site.id}`);
  if ((await allIntegrations(site)).length < MAX_INTEGRATIONS_OF_SITE) return;
  throw new AppError('limit_reached', `A site can have up to ${MAX_INTEGRATIONS_OF_SITE} integrations.`);
}

/** What a tool has just accepted. */
interface Accepted {
  connector: Connector;
  account: ToolAccount;
  auth: Auth;
}

/** @throws AppError `invalid_field`, `credentials_refused`, `unavailable`, `limit_reached` */
export async function addIntegration(
  services: Services,
  siteId: string,
  input: NewIntegration,
): Promise<Integration> {
  const connector = requireConnector(input.provider);
  const accepted = await tryCredentials(services, connector, input.credentials);
  return saveNewIntegration(services, siteId, accepted, input.name ?? null);
}

async function tryCredentials(
  services: Services,
  connector: Connector,
  given: Credentials,
): Promise<Accepted> {
  const credentials = requireCredentials(connector, given);
  const account = await accountOf(
    connector,
    toolApiWithCredentials(services, connector, credentials),
    credentials,
  );
  return { connector, account, auth: { kind: 'credentials', credentials } };
}

/** @throws AppError `limit_reached` */
export async function saveNewIntegration(
  services: Services,
  siteId: string,
  accepted: Accepted,
  name: string | null,
): Promise<Integration> {
  const { connector } = accepted;
  const id = newId();
  const now = services.clock.now();
  return changeSite(services, siteId, async (site) => {
    await requireRoom(site);
    await prepareFor(services, site, id, accepted);
    await scheduleTask(site, id, 'reconciliation', nextNightlyRun(id, now));
    await scheduleTask(site, id, 'late_notices', now);
    const added = await insertIntegration(site, {
      ...authColumns(services, siteId, id, accepted),
      id,
      provider: connector.id,
      name: name ?? connector.name,
      created_at: now,
      updated_at: now,
      deleted_at: null,
    });
    await recordChange(services, site, 'integration.connected', added);
    return readAndPresent(services, site, added);
  });
}

/**
 * What is waiting for the tool is then delivered at once.
 * @param mayBeOther the owner has agreed to another account
 * @throws AppError `not_found`, `other_tool_account`
 */
export async function saveReconnected(
  services: Services,
  siteId: string,
  id: string,
  accepted: Accepted,
  { name, mayBeOther }: { name: string | null; mayBeOther: boolean },
): Promise<Integration> {
  const more = name === null ? {} : { name };
  const before = await services.database.readSite(siteId, (site) => requireIntegration(site, id));
  await changeSite(services, siteId, async (site) => {
    await reconnect(services, site, id, accepted, { more, mayBeOther });
  });
  await leaveAccount(services, before, accepted.account);
  await checkTargets(services, siteId, id);
  return getIntegration(services, siteId, id);
}

async function reconnect(
  services: Services,
  site: SiteDb,
  id: string,
  accepted: Accepted,
  { more, mayBeOther }: { more: { name?: string; webhook_secret_sealed?: string }; mayBeOther: boolean },
): Promise<IntegrationRow> {
  const before = await requireIntegration(site, id);
  const isOther = isOtherAccount(before, accepted.account);
  if (isOther && !mayBeOther) throw otherAccount(before, accepted);
  const row = await updateIntegration(site, id, {
    ...authColumns(services, site.id, id, accepted),
    ...(isOther ? OF_OTHER_ACCOUNT : {}),
    ...more,
    poll_error: null,
    updated_at: services.clock.now(),
  });
  if (row === undefined) throw notFound('This integration');
  await recordChange(services, site, 'integration.credentials_changed', row);
  await prepareFor(services, site, id, accepted);
  await expediteDeliveriesTo(services, site, id);
  await resumeLinkSync(site, id, { isOtherAccount: isOther, now: services.clock.now() });
  return row;
}

/** What we know of an account, and not of another one. */
const OF_OTHER_ACCOUNT = {
  poll_cursor: null,
  webhook_secret_sealed: '',
  webhook_registered_at: null,
  webhook_checked_at: null,
  webhook_called_at: null,
  webhook_reason: null,
} as const;

/** The account that it was connected to before calls us no more. */
async function leaveAccount(services: Services, before: IntegrationRow, account: ToolAccount): Promise<void> {
  if (isOtherAccount(before, account)) await takeOut(services, before);
}

function otherAccount(before: IntegrationRow, { connector, account }: Accepted): AppError {
  const names = `"${account.name}", not of "${before.account_name}"`;
  return new AppError(
    'other_tool_account',
    `credentials: they are of another ${connector.name} account: ${names}. Its lists and tags are others, so actions may need new targets. Send other_account to switch all the same, or connect this account as a further integration.`,
    { field: 'credentials', data: { account_name: account.name } },
  );
}

function authColumns(services: Services, siteId: string, id: string, { account, auth }: Accepted) {
  return {
    ...WELL,
    ...accountColumns(account),
    credentials_sealed: encryptAuth(services, siteId, id, auth),
    connected_by: auth.kind,
  };
}

/** What goes on around an integration while it is connected. */
async function prepareFor(
  { clock }: Services,
  site: SiteDb,
  id: string,
  { connector, auth }: Accepted,
): Promise<void> {
  const now = clock.now();
  await scheduleTask(site, id, connector.inbound.kind, now);
  if (auth.kind === 'oauth') await saveRenewal(site, id, renewalOf(auth.grant, now));
  else await deleteRenewal(site, id);
}

function requireWebhook({ name, inbound }: Connector): void {
  if (inbound.kind === 'webhook') return;
  throw invalidField('webhook_secret', `webhook_secret: ${name} has no webhooks. Leave it out.`);
}

const WELL = {
  status: 'connected',
  status_reason: null,
  failing_since: null,
  consecutive_failures: 0,
  rests_until: null,
} as const;

export async function changeIntegration(
  services: Services,
  siteId: string,
  id: string,
  input: IntegrationChanges,
): Promise<Integration> {
  const before = await services.database.readSite(siteId, (site) => requireIntegration(site, id));
  const connector = connectorOf(before);
  if (input.webhook_secret !== undefined) requireWebhook(connector);
  const accepted =
    input.credentials === undefined ? null : await tryCredentials(services, connector, input.credentials);
  const linkField = await requestedField(services, before, accepted, input.link_field);
  const more = {
    ...(input.name === undefined ? {} : { name: input.name }),
    ...(input.webhook_secret === undefined
      ? {}
      : { webhook_secret_sealed: encryptWebhookSecret(services, siteId, id, input.webhook_secret) }),
  };
  const mayBeOther = input.other_account === true;
  await changeSite(services, siteId, async (site) => {
    const changes = { ...more, updated_at: services.clock.now() };
    const row =
      accepted === null
        ? await updateIntegration(site, id, changes)
        : await reconnect(services, site, id, accepted, { more, mayBeOther });
    if (row === undefined) throw notFound('This integration');
    if (linkField !== undefined) await setLinkField(site, id, linkField, services.clock.now());
    await recordOtherChanges(services, site, row, input);
  });
  if (accepted !== null) {
    await leaveAccount(services, before, accepted.account);
    await checkTargets(services, siteId, id);
  }
  return getIntegration(services, siteId, id);
}

/** New credentials are an entry of their own. */
async function recordOtherChanges(
  services: Services,
  site: SiteDb,
  row: IntegrationRow,
  { name, webhook_secret, link_field }: IntegrationChanges,
): Promise<void> {
  if (webhook_secret !== undefined) {
    await recordChange(services, site, 'integration.credentials_changed', row);
  }
  if (name !== undefined || link_field !== undefined) {
    await recordChange(services, site, 'integration.changed', row);
  }
}

/** @returns undefined: no wish; null: no field */
async function requestedField(
  services: Services,
  integration: IntegrationRow,
  accepted: Accepted | null,
  wish: Resource | null | undefined,
): Promise<Resource | null | undefined> {
  if (wish === undefined || wish === null) return wish;
  const connector = connectorOf(integration);
  try {
    const api =
      accepted?.auth.kind === 'credentials'
        ? toolApiWithCredentials(services, connector, accepted.auth.credentials)
        : toolClientFor(services, connector, integration).api;
    return await requireToolField(connector, api, wish);
  } catch (error) {
    throw asCredentialsError(error);
  }
}

/** @throws AppError `conflict` while actions act through it */
export async function removeIntegration(services: Services, siteId: string, id: string): Promise<void> {
  const before = await services.database.readSite(siteId, (site) => requireUnused(site, id));
  await takeOut(services, before);
  await changeSite(services, siteId, async (site) => {
    const integration = await requireUnused(site, id);
    await updateIntegration(site, id, {
      deleted_at: services.clock.now(),
      credentials_sealed: '',
      webhook_secret_sealed: '',
    });
    await setLinkField(site, id, null, services.clock.now());
    await unscheduleTasks(site, id);
    await deleteRenewal(site, id);
    await deleteReconciliationsOf(site, id);
    await recordChange(services, site, 'integration.disconnected', integration);
  });
}

async function requireUnused(site: SiteDb, id: string): Promise<IntegrationRow> {
  const integration = await requireIntegration(site, id);
  const users = await countActionsOf(site, id);
  if (users === 0) return integration;
  throw new AppError('conflict', `Actions that use this integration: ${users}. Delete them first.`);
}

/**
 * Sets the webhook up in the tool, now; what came of it is in the answer.
 * @throws AppError `conflict` for tools that we poll
 */
export async function setUpWebhook(services: Services, siteId: string, id: string): Promise<Integration> {
  const row = await services.database.readSite(siteId, (site) => requireIntegration(site, id));
  const { name, inbound } = connectorOf(row);
  if (inbound.kind !== 'webhook')
    throw new AppError('conflict', `${name} has no webhooks. We poll it instead.`);
  await bringIn(services, row, 'owner');
  await services.database.inSite(siteId, (site) =>
    scheduleTask(site, id, 'webhook', nextNightlyRun(id, services.clock.now())),
  );
  return getIntegration(services, siteId, id);
}

/** Asks the tool, and keeps what it says. @throws AppError `unavailable` */
export async function verifyIntegration(
  services: Services,
  siteId: string,
  id: string,
): Promise<Integration> {
  const row = await services.database.readSite(siteId, (site) => requireIntegration(site, id));
  const found = await stateOf(services, row);
  if (found.status === 'connected') await checkTargets(services, siteId, id);
  return changeSite(services, siteId, async (site) => {
    const changed = await updateIntegration(site, id, {
      ...found,
      updated_at: services.clock.now(),
    });
    if (changed === undefined) throw notFound('This integration');
    const isBack = changed.status === 'connected' && (row.status !== 'connected' || row.rests_until !== null);
    if (isBack) await expediteDeliveriesTo(services, site, id);
    return readAndPresent(services, site, changed);
  });
}

async function stateOf(services: Services, row: IntegrationRow) {
  const connector = connectorOf(row);
  try {
    const { api, known } = toolClientFor(services, connector, row);
    return { ...WELL, ...accountColumns(await connector.verify(api, known)) };
  } catch (error) {
    if (error instanceof ConnectorError && error.kind === 'bad_credentials') {
      return { status: 'credentials_refused', status_reason: error.message } as const;
    }
    throw asCredentialsError(error);
  }
}

/** @throws AppError `credentials_refused`, `unavailable` */
export async function listResources(
  services: Services,
  siteId: string,
  id: string,
  kind: ResourceKind,
): Promise<Resource[]> {
  const row = await services.database.readSite(siteId, (site) => requireIntegration(site, id));
  const connector = connectorOf(row);
  try {
    const { api } = toolClientFor(services, connector, row, { purpose: 'reading' });
    const found = await connector.resources(api, kind);
    return found
      .map(({ id: resourceId, name }) => ({ id: resourceId, name }))
      .toSorted((one, other) => one.name.localeCompare(other.name, 'en'));
  } catch (error) {
    throw asCredentialsError(error);
  }
}
