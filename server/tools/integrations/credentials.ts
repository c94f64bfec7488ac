import {
  type Connector,
  ConnectorError,
  type CredentialField,
  type Credentials,
} from '#server/connectors/connector.ts';
import type { Grant } from '#server/connectors/oauth.ts';
import { invalidField } from '#server/platform/errors.ts';
import { idToBytes } from '#server/platform/ids.ts';
import { resealText, sha256 } from '#server/platform/secrets.ts';
import type { SealedRow } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';

const PURPOSE = 'integration-credentials';
const WEBHOOK_PURPOSE = 'integration-webhook-secret';

/** Bound to their row: moved to another one they do not open. */
const contextOf = (siteId: string, id: string) => Buffer.concat([idToBytes(siteId), idToBytes(id)]);

/** How a site is let into a tool: by what an owner typed in, or by a login there. */
export type Auth = { kind: 'credentials'; credentials: Credentials } | { kind: 'oauth'; grant: Grant };

/** Names of credentials are in lower case, so that this is none of them. */
const GRANT_KEY = 'GRANT';

export function encryptAuth(
  { keyring }: Pick<Services, 'keyring'>,
  siteId: string,
  id: string,
  auth: Auth,
): string {
  const kept = auth.kind === 'oauth' ? { [GRANT_KEY]: auth.grant } : auth.credentials;
  const plain = Buffer.from(JSON.stringify(kept), 'utf8');
  return keyring.seal(PURPOSE, plain, contextOf(siteId, id)).toString('base64url');
}

/** @throws ConnectorError `bad_credentials` where it cannot be opened (any more) */
export function decryptAuth(
  { keyring }: Pick<Services, 'keyring'>,
  integration: { site_id: string; id: string; credentials_sealed: string },
): Auth {
  const sealed = Buffer.from(integration.credentials_sealed, 'base64url');
  const plain = keyring.open(PURPOSE, sealed, contextOf(integration.site_id, integration.id));
  if (plain === null) {
    throw new ConnectorError('bad_credentials', 'The credentials cannot be read any more; enter them anew.');
  }
  const kept = JSON.parse(plain.toString('utf8')) as Credentials & { [GRANT_KEY]?: Grant };
  const grant = kept[GRANT_KEY];
  return grant === undefined ? { kind: 'credentials', credentials: kept } : { kind: 'oauth', grant };
}

/** @param secret what the tool signs its webhooks with; empty: none */
export function encryptWebhookSecret(
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
export function decryptWebhookSecret(
  { keyring }: Pick<Services, 'keyring'>,
  integration: { site_id: string; id: string; webhook_secret_sealed: string },
): string | null {
  if (integration.webhook_secret_sealed === '') return '';
  const sealed = Buffer.from(integration.webhook_secret_sealed, 'base64url');
  const context = contextOf(integration.site_id, integration.id);
  return keyring.open(WEBHOOK_PURPOSE, sealed, context)?.toString('utf8') ?? null;
}

/** Both with the newest key; null where they cannot be opened (any more). */
export function reencryptCredentials({ keyring }: Pick<Services, 'keyring'>, row: SealedRow): string | null {
  return resealText(keyring, PURPOSE, row.sealed, contextOf(row.site_id, row.id));
}

export function reencryptWebhookSecret({ keyring }: Pick<Services, 'keyring'>, row: SealedRow): string | null {
  return resealText(keyring, WEBHOOK_PURPOSE, row.sealed, contextOf(row.site_id, row.id));
}

/** @throws AppError `invalid_field` that names the credential, and never repeats it */
export function requireCredentials(connector: Connector, given: Credentials): Credentials {
  const unknown = Object.keys(given).find((name) => !connector.credentials.some((one) => one.name === name));
  if (unknown !== undefined) {
    const names = connector.credentials.map(({ name }) => name).join(', ');
    throw invalidField('credentials', `credentials: ${connector.name} takes ${names} and nothing else.`);
  }
  for (const field of connector.credentials) requirePattern(connector, field, given[field.name]);
  return given;
}

function requirePattern(
  connector: Connector,
  { name, label, pattern, example }: CredentialField,
  value: string | undefined,
): void {
  const field = `credentials.${name}`;
  if (value === undefined) throw invalidField(field, `${field}: ${label} is missing.`);
  if (pattern.test(value)) return;
  throw invalidField(field, `${field}: this is no ${label} of ${connector.name}; it looks like ${example}.`);
}

/** Of a login at the tool: only names that it may be given along with. */
export function requireLoginFields(
  connector: Connector,
  takes: readonly string[],
  given: Credentials,
): Credentials {
  const unknown = Object.keys(given).find((name) => !takes.includes(name));
  if (unknown !== undefined) {
    const names = takes.length === 0 ? 'nothing' : takes.join(', ');
    throw invalidField('credentials', `credentials: a login at ${connector.name} takes ${names} along.`);
  }
  for (const field of connector.credentials) {
    if (given[field.name] !== undefined) requirePattern(connector, field, given[field.name]);
  }
  return given;
}

/**
 * What the users of one account share: a name that tells accounts apart and nothing else.
 * @param fallback where nothing else does
 */
export function accountKeyOf(connector: Connector, auth: Auth, fallback = ''): string {
  const known = auth.kind === 'oauth' ? auth.grant.learned : auth.credentials;
  const all = JSON.stringify(Object.entries(known).toSorted());
  const isNamed = Object.keys(known).length > 0;
  const account = isNamed ? (connector.accountOf?.(known) ?? all) : fallback;
  return `${connector.id}:${sha256(account).toString('base64url').slice(0, 22)}`;
}
