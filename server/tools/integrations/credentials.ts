import {
  type Connector,
  ConnectorError,
  type CredentialField,
  type Credentials,
} from '#server/connectors/connector.ts';
import type { Grant } from '#server/connectors/oauth.ts';
import { invalidField } from '#server/platform/errors.ts';
import { idToBytes } from '#server/platform/ids.ts';
import { reencryptText, sha256 } from '#server/platform/secrets.ts';
import type { SealedRow } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';

const PURPOSE = 'integration-credentials';
const WEBHOOK_PURPOSE = 'integration-webhook-secret';

/** Binds ciphertext to its row: it cannot be decrypted in another one. */
const contextOf = (siteId: string, id: string) => Buffer.concat([idToBytes(siteId), idToBytes(id)]);

/** How a site authenticates at a tool: credentials typed in by an owner, or an OAuth grant. */
export type Auth = { kind: 'credentials'; credentials: Credentials } | { kind: 'oauth'; grant: Grant };

/** Upper case, so that it collides with no credential name. */
const GRANT_KEY = 'GRANT';

export function encryptAuth(
  { keyring }: Pick<Services, 'keyring'>,
  siteId: string,
  id: string,
  auth: Auth,
): string {
  const kept = auth.kind === 'oauth' ? { [GRANT_KEY]: auth.grant } : auth.credentials;
  const plain = Buffer.from(JSON.stringify(kept), 'utf8');
  return keyring.seal(PURPOSE, plain, contextOf(siteId, id));
}

/** @throws ConnectorError `bad_credentials` if it cannot be decrypted */
export function decryptAuth(
  { keyring }: Pick<Services, 'keyring'>,
  integration: { site_id: string; id: string; credentials_sealed: string },
): Auth {
  const { site_id: siteId, id, credentials_sealed: sealed } = integration;
  const plain = keyring.open(PURPOSE, sealed, contextOf(siteId, id));
  if (plain === null) {
    throw new ConnectorError(
      'bad_credentials',
      "We can't decrypt the credentials anymore. Enter them again.",
    );
  }
  const kept = JSON.parse(plain.toString('utf8')) as Credentials & { [GRANT_KEY]?: Grant };
  const grant = kept[GRANT_KEY];
  return grant === undefined ? { kind: 'credentials', credentials: kept } : { kind: 'oauth', grant };
}

/** @param secret the tool's signing secret; empty: none */
export function encryptWebhookSecret(
  { keyring }: Pick<Services, 'keyring'>,
  siteId: string,
  id: string,
  secret: string,
): string {
  if (secret === '') return '';
  const plain = Buffer.from(secret, 'utf8');
  return keyring.seal(WEBHOOK_PURPOSE, plain, contextOf(siteId, id));
}

/** @returns empty if there is none; null if it cannot be decrypted */
export function decryptWebhookSecret(
  { keyring }: Pick<Services, 'keyring'>,
  integration: { site_id: string; id: string; webhook_secret_sealed: string },
): string | null {
  if (integration.webhook_secret_sealed === '') return '';
  const { site_id: siteId, id, webhook_secret_sealed: sealed } = integration;
  return keyring.open(WEBHOOK_PURPOSE, sealed, contextOf(siteId, id))?.toString('utf8') ?? null;
}

/** Re-encrypts with the newest key; null if it cannot be decrypted. */
export function reencryptCredentials({ keyring }: Pick<Services, 'keyring'>, row: SealedRow): string | null {
  return reencryptText(keyring, PURPOSE, row.sealed, contextOf(row.site_id, row.id));
}

export function reencryptWebhookSecret(
  { keyring }: Pick<Services, 'keyring'>,
  row: SealedRow,
): string | null {
  return reencryptText(keyring, WEBHOOK_PURPOSE, row.sealed, contextOf(row.site_id, row.id));
}

/**
 * @returns what was given, and the usual value of each choice that was not
 * @throws AppError `invalid_field` that names the credential, and never repeats it
 */
export function requireCredentials(connector: Connector, given: Credentials): Credentials {
  const unknown = Object.keys(given).find((name) => !connector.credentials.some((one) => one.name === name));
  if (unknown !== undefined) {
    const names = connector.credentials.map(({ name }) => name).join(', ');
    throw invalidField('credentials', `credentials: ${connector.name} only takes ${names}.`);
  }
  const usual = connector.credentials.flatMap(({ name, choices = {} }) =>
    Object.keys(choices)
      .slice(0, 1)
      .map((value) => [name, value] as const),
  );
  const all = { ...Object.fromEntries(usual), ...given };
  for (const field of connector.credentials) requirePattern(connector, field, all[field.name]);
  return all;
}

function requirePattern(
  connector: Connector,
  { name, label, pattern, example }: CredentialField,
  value: string | undefined,
): void {
  const field = `credentials.${name}`;
  if (value === undefined) throw invalidField(field, `${field}: ${label} is missing.`);
  if (pattern.test(value)) return;
  throw invalidField(field, `${field}: this isn't a ${connector.name} ${label}. It looks like ${example}.`);
}

/** For an OAuth login: only fields that may accompany it. */
export function requireLoginFields(
  connector: Connector,
  takes: readonly string[],
  given: Credentials,
): Credentials {
  const unknown = Object.keys(given).find((name) => !takes.includes(name));
  if (unknown !== undefined) {
    const names = takes.length === 0 ? 'nothing' : takes.join(', ');
    throw invalidField('credentials', `credentials: a ${connector.name} login only takes ${names}.`);
  }
  for (const field of connector.credentials) {
    if (given[field.name] !== undefined) requirePattern(connector, field, given[field.name]);
  }
  return given;
}

/**
 * Identifies the tool account that rate limits belong to, without revealing credentials.
 * @param fallback used if nothing else identifies the account
 */
export function accountKeyOf(connector: Connector, auth: Auth, fallback = ''): string {
  const known = auth.kind === 'oauth' ? auth.grant.learned : auth.credentials;
  const all = JSON.stringify(Object.entries(known).toSorted());
  const isNamed = Object.keys(known).length > 0;
  const account = isNamed ? (connector.accountOf?.(known) ?? all) : fallback;
  return `${connector.id}:${sha256(account).toString('base64url').slice(0, 22)}`;
}
