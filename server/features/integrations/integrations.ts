import type { z } from 'zod';
import type { createIntegration, Integration, updateIntegration } from '#contract/integrations.ts';
import {
  type Connector,
  ConnectorError,
  type Credentials,
  type Resource,
  type ResourceKind,
} from '#server/connectors/connector.ts';
import { findConnector } from '#server/connectors/index.ts';
import { forgetComparisonsOf } from '#server/features/comparisons/comparisons.sql.ts';
import { nextNight } from '#server/features/comparisons/nights.ts';
import { hurryDeliveriesTo } from '#server/features/deliveries/deliveries.ts';
import { beginChore, endChores } from '#server/features/tool-chores/tool-chores.sql.ts';
import { changeSite } from '#server/features/sites/change-site.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { AppError, invalidField, notFound } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { openCredentials, requireCredentials, sealCredentials, sealWebhookSecret } from './credentials.ts';
import { hookUrl } from './hook-address.ts';
import * as statements from './integrations.sql.ts';
import type { IntegrationRow } from './integrations.sql.ts';

import { lineTo } from './tool-line.ts';

const MAX_INTEGRATIONS_OF_SITE = 50;

type NewIntegration = z.output<(typeof createIntegration)['body']>;
type IntegrationChanges = z.output<(typeof updateIntegration)['body']>;

function present(services: Services, integration: IntegrationRow): Integration {
  const { inbound } = connectorOf(integration);
  const isCalled = inbound.kind === 'webhook';
  return {
    id: integration.id,
    provider: integration.provider,
    name: integration.name,
    account_name: integration.account_name,
    status: integration.status,
    status_reason: integration.status_reason,
    failing_since: integration.failing_since?.toISOString() ?? null,
    webhook_url: isCalled ? hookUrl(services, integration.site_id, integration.id) : null,
    webhook_setup: isCalled ? inbound.setup : null,
    has_webhook_secret: integration.webhook_secret_sealed !== '',
    created_at: integration.created_at.toISOString(),
    updated_at: integration.updated_at.toISOString(),
  };
}

/** The connector of a row; every row was made with one. */
export function connectorOf({ provider }: Pick<IntegrationRow, 'provider'>): Connector {
  const connector = findConnector(provider);
  if (connector === undefined) throw new Error(`There is no connector ${provider}`);
  return connector;
}

export async function listIntegrations(services: Services, siteId: string): Promise<Integration[]> {
  const rows = await services.database.readSite(siteId, statements.allIntegrations);
  return rows.map((row) => present(services, row));
}

export async function requireIntegration(site: SiteDb, id: string): Promise<IntegrationRow> {
  const row = await statements.findIntegration(site, id);
  if (row === undefined) throw notFound('This integration');
  return row;
}

export async function getIntegration(services: Services, siteId: string, id: string): Promise<Integration> {
  return present(services, await services.database.readSite(siteId, (site) => requireIntegration(site, id)));
}

/** What a tool's failure means to an owner who waits for it. */
export function asRefusal(error: unknown): unknown {
  if (!(error instanceof ConnectorError)) return error;
  if (error.kind === 'bad_credentials' || error.kind === 'not_found' || error.kind === 'refused') {
    return new AppError('credentials_refused', `credentials: ${error.message} Check them and try again.`, {
      field: 'credentials',
      cause: error,
    });
  }
  return new AppError('unavailable', `${error.message} Try again in a moment.`, {
    cause: error,
    ...(error.retryAfterSeconds === null ? {} : { retryAfterSeconds: error.retryAfterSeconds }),
  });
}

/** @throws AppError `credentials_refused`, `unavailable` */
async function accountName(services: Services, connector: Connector, credentials: Credentials) {
  try {
    return (await connector.verify(lineTo(services, connector, credentials), credentials)).slice(0, 200);
  } catch (error) {
    throw asRefusal(error);
  }
}

/** @throws AppError `invalid_field`, `credentials_refused`, `unavailable`, `limit_reached` */
export async function addIntegration(
  services: Services,
  siteId: string,
  input: NewIntegration,
): Promise<Integration> {
  const connector = findConnector(input.provider);
  if (connector === undefined) {
    throw invalidField(
      'provider',
      `provider: there is no tool "${input.provider}"; see /api/core/v1/connectors.`,
    );
  }
  const credentials = requireCredentials(connector, input.credentials);
  const account = await accountName(services, connector, credentials);
  const id = newId();
  const now = services.clock.now();
  const row = await changeSite(services, siteId, async (site) => {
    if ((await statements.allIntegrations(site)).length >= MAX_INTEGRATIONS_OF_SITE) {
      throw new AppError('limit_reached', `A site has at most ${MAX_INTEGRATIONS_OF_SITE} integrations.`);
    }
    if (connector.inbound.kind === 'poll') await beginChore(site, id, 'poll', now);
    await beginChore(site, id, 'comparison', nextNight(id, now));
    return statements.insertIntegration(site, {
      id,
      provider: connector.id,
      name: input.name ?? connector.name,
      account_name: account,
      credentials_sealed: sealCredentials(services, siteId, id, credentials),
      status: 'connected',
      status_reason: null,
      failing_since: null,
      created_at: now,
      updated_at: now,
      deleted_at: null,
    });
  });
  return present(services, row);
}

function requireWebhook({ name, inbound }: Connector): void {
  if (inbound.kind === 'webhook') return;
  throw invalidField(
    'webhook_secret',
    `webhook_secret: ${name} has no webhooks and is asked instead; leave it out.`,
  );
}

const WELL = { status: 'connected', status_reason: null, failing_since: null } as const;

export async function changeIntegration(
  services: Services,
  siteId: string,
  id: string,
  input: IntegrationChanges,
): Promise<Integration> {
  const before = await services.database.readSite(siteId, (site) => requireIntegration(site, id));
  const connector = connectorOf(before);
  if (input.webhook_secret !== undefined) requireWebhook(connector);
  const credentials =
    input.credentials === undefined ? null : requireCredentials(connector, input.credentials);
  const account = credentials === null ? null : await accountName(services, connector, credentials);
  return changeSite(services, siteId, async (site) => {
    const row = await statements.updateIntegration(site, id, {
      ...(input.name === undefined ? {} : { name: input.name }),
      ...(credentials === null
        ? {}
        : {
            ...WELL,
            account_name: account ?? '',
            poll_error: null,
            credentials_sealed: sealCredentials(services, siteId, id, credentials),
          }),
      ...(input.webhook_secret === undefined
        ? {}
        : { webhook_secret_sealed: sealWebhookSecret(services, siteId, id, input.webhook_secret) }),
      updated_at: services.clock.now(),
    });
    if (row === undefined) throw notFound('This integration');
    if (credentials !== null) {
      await hurryDeliveriesTo(services, site, id);
      if (connector.inbound.kind === 'poll') await beginChore(site, id, 'poll', services.clock.now());
    }
    return present(services, row);
  });
}

/** @throws AppError `conflict` while actions act through it */
export async function removeIntegration(services: Services, siteId: string, id: string): Promise<void> {
  await changeSite(services, siteId, async (site) => {
    await requireIntegration(site, id);
    const users = await statements.countActionsOf(site, id);
    if (users > 0) {
      throw new AppError('conflict', `Actions that use this integration: ${users}. Delete them first.`);
    }
    await statements.updateIntegration(site, id, {
      deleted_at: services.clock.now(),
      credentials_sealed: '',
      webhook_secret_sealed: '',
    });
    await endChores(site, id);
    await forgetComparisonsOf(site, id);
  });
}

/** Asks the tool, and keeps what it says. @throws AppError `unavailable` */
export async function verifyIntegration(
  services: Services,
  siteId: string,
  id: string,
): Promise<Integration> {
  const row = await services.database.readSite(siteId, (site) => requireIntegration(site, id));
  const found = await stateOf(services, row);
  return changeSite(services, siteId, async (site) => {
    const changed = await statements.updateIntegration(site, id, {
      ...found,
      updated_at: services.clock.now(),
    });
    if (changed === undefined) throw notFound('This integration');
    return present(services, changed);
  });
}

async function stateOf(services: Services, row: IntegrationRow) {
  const connector = connectorOf(row);
  try {
    const credentials = openCredentials(services, row);
    const name = await connector.verify(lineTo(services, connector, credentials), credentials);
    return { ...WELL, account_name: name.slice(0, 200) };
  } catch (error) {
    if (error instanceof ConnectorError && error.kind === 'bad_credentials') {
      return { status: 'credentials_refused', status_reason: error.message } as const;
    }
    throw asRefusal(error);
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
    const line = lineTo(services, connector, openCredentials(services, row), { isReading: true });
    const found = await connector.resources(line, kind);
    return found.toSorted((one, other) => one.name.localeCompare(other.name, 'en'));
  } catch (error) {
    throw asRefusal(error);
  }
}
