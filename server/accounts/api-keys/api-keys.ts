import type { z } from 'zod';
import type { ApiKey, createApiKey, NewApiKey } from '#contract/api-keys.ts';
import { KEY_PREFIX } from '#contract/roles.ts';
import { recordChange } from '#server/accounts/audit-log/audit-log.ts';
import { siteIdsOfOrganization } from '#server/accounts/sites/sites.sql.ts';
import { emailsOfUsers, namesOfUsers } from '#server/accounts/users/users.sql.ts';
import { enterSite, type GlobalDb, advisoryLock } from '#server/platform/database.ts';
import { AppError, invalidField, notFound } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import { randomToken, sha256 } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { insertKey, type KeyRow, liveKeys, markRevoked, revokeKeysBy } from './api-keys.sql.ts';

export const MAX_KEYS_OF_SITE = 50;

type KeyCreator = { name: string; email: string };

function later(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
}

/** Creators who left or deleted their account keep the name they had when they created the key. */
function presentKey(row: KeyRow, people: ReadonlyMap<string, KeyCreator>): ApiKey {
  const person = people.get(row.created_by);
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes,
    created_by: person?.name ?? row.created_by_name,
    created_by_email: person?.email ?? row.created_by_email,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    last_changed_at: row.last_changed_at?.toISOString() ?? null,
    last_used_at: later(row.last_used_at, row.last_changed_at)?.toISOString() ?? null,
  };
}

async function peopleOf(services: Services, ids: readonly string[]): Promise<Map<string, KeyCreator>> {
  const tx = services.database.global;
  const [names, emails] = await Promise.all([namesOfUsers(tx, ids), emailsOfUsers(tx, ids)]);
  return new Map(
    ids.flatMap((id) => {
      const [name, email] = [names.get(id), emails.get(id)];
      return name === undefined || email === undefined ? [] : [[id, { name, email }] as const];
    }),
  );
}

export async function listKeys(services: Services, siteId: string): Promise<ApiKey[]> {
  const rows = await services.database.readSite(siteId, liveKeys);
  const people = await peopleOf(
    services,
    rows.map((row) => row.created_by),
  );
  return rows.map((row) => presentKey(row, people));
}

/** @throws AppError `invalid_field` */
function requireLater(now: Date, expiresAt: string | null): Date | null {
  if (expiresAt === null) return null;
  const at = new Date(expiresAt);
  if (at > now) return at;
  throw invalidField(
    'expires_at',
    'expires_at: must be in the future. Leave it out for a key that never expires.',
  );
}

/**
 * The key itself is only in this response: only its hash is stored.
 * @throws AppError `invalid_field`, `limit_reached`
 */
export async function createKey(
  services: Services,
  siteId: string,
  userId: string,
  input: z.output<(typeof createApiKey)['body']>,
): Promise<NewApiKey> {
  const now = services.clock.now();
  const key = `${KEY_PREFIX}${randomToken()}`;
  const people = await peopleOf(services, [userId]);
  const row = {
    site_id: siteId,
    id: newId(),
    name: input.name,
    key_hash: sha256(key),
    created_by: userId,
    created_by_name: people.get(userId)?.name ?? null,
    created_by_email: people.get(userId)?.email ?? null,
    created_at: now,
    last_changed_at: null,
    last_used_at: null,
    revoked_at: null,
    scopes: input.scopes,
    expires_at: requireLater(now, input.expires_at ?? null),
  };
  await services.database.inSite(siteId, async (site) => {
    await advisoryLock(site, `api-keys:${siteId}`);
    if ((await liveKeys(site)).length >= MAX_KEYS_OF_SITE) {
      throw new AppError(
        'limit_reached',
        `A site can have up to ${MAX_KEYS_OF_SITE} API keys. Revoke one you no longer use.`,
      );
    }
    await insertKey(site, row);
    await recordChange(services, site, 'api_key.created', { id: row.id, name: row.name });
  });
  return { ...presentKey(row, people), key };
}

/** @throws AppError `not_found` */
export async function revokeKey(services: Services, siteId: string, id: string): Promise<void> {
  const now = services.clock.now();
  await services.database.inSite(siteId, async (site) => {
    const key = (await liveKeys(site)).find((one) => one.id === id);
    if (key === undefined || !(await markRevoked(site, id, now))) throw notFound('This API key');
    await recordChange(services, site, 'api_key.revoked', { id, name: key.name });
  });
}

/** Revokes the keys that a member created, on all sites of the organization. Enters sites, so it comes last in the transaction. */
export async function revokeKeysOfMember(
  services: Services,
  tx: GlobalDb,
  organizationId: string,
  userId: string,
): Promise<void> {
  for (const siteId of await siteIdsOfOrganization(tx, organizationId)) {
    const site = await enterSite(tx, siteId);
    for (const key of await revokeKeysBy(site, userId, services.clock.now())) {
      await recordChange(services, site, 'api_key.revoked', key);
    }
  }
}
