import { type Connector, ConnectorError, type Credentials } from '#server/connectors/connector.ts';
import { invalidField } from '#server/platform/errors.ts';
import { idToBytes } from '#server/platform/ids.ts';
import { resealText, sha256 } from '#server/platform/secrets.ts';
import type { SealedRow } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';

const PURPOSE = 'integration-credentials';
const WEBHOOK_PURPOSE = 'integration-webhook-secret';

/** Bound to their row: moved to another one they do not open. */
const contextOf = (siteId: string, id: string) => Buffer.concat([idToBytes(siteId), idToBytes(id)]);

export function sealCredentials(
  { keyring }: Pick<Services, 'keyring'>,
  siteId: string,
  id: string,
  credentials: Credentials,
): string {
  const plain = Buffer.from(JSON.stringify(credentials), 'utf8');
  return keyring.seal(PURPOSE, plain, contextOf(siteId, id)).toString('base64url');
}

/** @throws ConnectorError `bad_credentials` where they cannot be opened (any more) */
export function openCredentials(
  { keyring }: Pick<Services, 'keyring'>,
  integration: { site_id: string; id: string; credentials_sealed: string },
): Credentials {
  const sealed = Buffer.from(integration.credentials_sealed, 'base64url');
  const plain = keyring.open(PURPOSE, sealed, contextOf(integration.site_id, integration.id));
  if (plain === null) {
    throw new ConnectorError('bad_credentials', 'The credentials cannot be read any more; enter them anew.');
  }
  return JSON.parse(plain.toString('utf8')) as Credentials;
}

/** @param secret what the tool signs its webhooks with; empty: none */
export function sealWebhookSecret(
  { keyring }: Pick<Services, 'keyring'>,
  siteId: string,
  id: string,
  secret: string,
): string {
  if (secret === '') return '';
  const plain = Buffer.from(secret, 'utf8');
  return keyring.seal(WEBHOOK_PURPOSE, plain, contextOf(siteId, id)).toString('base64url');
}

/** @returns empty where there is none; null where it cannot be opened (any more) */
export function openWebhookSecret(
  { keyring }: Pick<Services, 'keyring'>,
  integration: { site_id: string; id: string; webhook_secret_sealed: string },
): string | null {
  if (integration.webhook_secret_sealed === '') return '';
  const sealed = Buffer.from(integration.webhook_secret_sealed, 'base64url');
  const context = contextOf(integration.site_id, integration.id);
  return keyring.open(WEBHOOK_PURPOSE, sealed, context)?.toString('utf8') ?? null;
}

/** Both with the newest key; null where they cannot be opened (any more). */
export function resealCredentials({ keyring }: Pick<Services, 'keyring'>, row: SealedRow): string | null {
  return resealText(keyring, PURPOSE, row.sealed, contextOf(row.site_id, row.id));
}

export function resealWebhookSecret({ keyring }: Pick<Services, 'keyring'>, row: SealedRow): string | null {
  return resealText(keyring, WEBHOOK_PURPOSE, row.sealed, contextOf(row.site_id, row.id));
}

/** @throws AppError `invalid_field` that names the credential, and never repeats it */
export function requireCredentials(connector: Connector, given: Credentials): Credentials {
  const unknown = Object.keys(given).find((name) => !connector.credentials.some((one) => one.name === name));
  if (unknown !== undefined) {
    const names = connector.credentials.map(({ name }) => name).join(', ');
    throw invalidField('credentials', `credentials: ${connector.name} takes ${names} and nothing else.`);
  }
  for (const { name, label, pattern, example } of connector.credentials) {
    const value = given[name];
    const field = `credentials.${name}`;
    if (value === undefined) throw invalidField(field, `${field}: ${label} is missing.`);
    if (!pattern.test(value)) {
      throw invalidField(
        field,
        `${field}: this is no ${label} of ${connector.name}; it looks like ${example}.`,
      );
    }
  }
  return given;
}

/** What the users of one account share: a name that tells accounts apart and nothing else. */
export function accountKeyOf(connector: Connector, credentials: Credentials): string {
  const account =
    connector.accountOf?.(credentials) ?? JSON.stringify(Object.entries(credentials).toSorted());
  return `${connector.id}:${sha256(account).toString('base64url').slice(0, 22)}`;
}
