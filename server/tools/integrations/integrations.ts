import {
  type Connector,
  ConnectorError,
  type Credentials,
  type ToolAccount,
  type ToolApi,
} from '#server/connectors/connector.ts';
import { findConnector } from '#server/connectors/index.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { AppError, invalidField, notFound } from '#server/platform/errors.ts';
import { findIntegration, type IntegrationRow } from './integrations.sql.ts';

export type { IntegrationRow } from './integrations.sql.ts';
export {
  allIntegrations,
  countActionsOf,
  findIntegration,
  insertIntegration,
  lockIntegration,
  claimHalfOpenProbe,
  updateIntegration,
} from './integrations.sql.ts';

/** The connector of a row; every row has one. */
export function connectorOf({ provider }: Pick<IntegrationRow, 'provider'>): Connector {
  const connector = findConnector(provider);
  if (connector === undefined) throw new Error(`There is no connector ${provider}`);
  return connector;
}

export async function requireIntegration(site: SiteDb, id: string): Promise<IntegrationRow> {
  const row = await findIntegration(site, id);
  if (row === undefined) throw notFound('This integration');
  return row;
}

/** Turns a tool's failure into the error shown to a waiting owner. */
export function asCredentialsError(error: unknown): unknown {
  if (!(error instanceof ConnectorError)) return error;
  if (error.kind === 'bad_credentials' || error.isAboutChange) {
    return new AppError(
      'credentials_refused',
      `credentials: ${error.message} Check what you entered and try again.`,
      {
        field: 'credentials',
        cause: error,
      },
    );
  }
  return new AppError('unavailable', `${error.message} Try again in a moment.`, {
    cause: error,
    ...(error.retryAfterSeconds === null ? {} : { retryAfterSeconds: error.retryAfterSeconds }),
  });
}

/** @throws AppError `credentials_refused`, `unavailable` */
export async function accountOf(
  connector: Connector,
  api: ToolApi,
  known: Credentials,
): Promise<ToolAccount> {
  try {
    return await connector.verify(api, known);
  } catch (error) {
    throw asCredentialsError(error);
  }
}

/** What is stored of an account. */
export const accountColumns = ({ id, name }: ToolAccount) => ({
  account_id: id.slice(0, 200),
  account_name: name.slice(0, 200),
});

/** Is the integration connected to another account? */
export function isOtherAccount(
  integration: Pick<IntegrationRow, 'account_id' | 'account_name'>,
  account: ToolAccount,
): boolean {
  const { account_id: id, account_name: name } = accountColumns(account);
  return integration.account_id === '' ? integration.account_name !== name : integration.account_id !== id;
}

/** @throws AppError `invalid_field` */
export function requireConnector(provider: string): Connector {
  const connector = findConnector(provider);
  if (connector !== undefined) return connector;
  throw invalidField('provider', `provider: there is no tool "${provider}". See /api/core/v1/connectors.`);
}
