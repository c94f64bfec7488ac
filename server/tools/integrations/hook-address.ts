import { idFromBytes, idToBytes, isId } from '#server/platform/ids.ts';
import { equalBytes, fromBase64url, sign } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';

/*
 * A webhook arrives before its tenant is known: the last part of the URL names the site and proves, with a keyed
 * hash, that this server issued it for this integration.
 */

const PURPOSE = 'inbound-hook';
const SITE_BYTES = 16;
const KEY_ID_BYTES = 2;
const HASH_BYTES = 32;

function hashOf(key: Buffer, siteId: string, integrationId: string): Buffer {
  return sign(key, Buffer.concat([idToBytes(siteId), idToBytes(integrationId)]), HASH_BYTES);
}

/** The webhook URL of an integration. */
export function hookUrl(
  { keyring, config }: Pick<Services, 'keyring' | 'config'>,
  siteId: string,
  integrationId: string,
): string {
  const { id, key } = keyring.derive(PURPOSE);
  const secret = Buffer.concat([idToBytes(siteId), id, hashOf(key, siteId, integrationId)]);
  return `${config.appUrl}/hooks/${integrationId}/${secret.toString('base64url')}`;
}

/** The site of a webhook URL issued by this server; null for any other. */
export function siteOfHook(
  { keyring }: Pick<Services, 'keyring'>,
  integrationId: string,
  secret: string,
): string | null {
  const bytes = fromBase64url(secret);
  if (bytes === null || !isId(integrationId) || bytes.length !== SITE_BYTES + KEY_ID_BYTES + HASH_BYTES)
    return null;
  const siteId = idFromBytes(bytes.subarray(0, SITE_BYTES));
  const key = keyring.deriveById(PURPOSE, bytes.subarray(SITE_BYTES, SITE_BYTES + KEY_ID_BYTES));
  if (key === null || !isId(siteId)) return null;
  return equalBytes(bytes.subarray(-HASH_BYTES), hashOf(key, siteId, integrationId)) ? siteId : null;
}
