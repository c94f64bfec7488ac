import { needsOf, scopesOf } from '#contract/roles.ts';
import type { Route } from '#contract/route.ts';
import { isSiteOf } from '#server/accounts/sites/sites.ts';
import { AppError } from '#server/platform/errors.ts';
import { isId } from '#server/platform/ids.ts';
import type { Limit } from '#server/platform/request-limits.ts';
import { sha256 } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { type KeyRow, liveKeyOfHash, recordKeyChange } from './api-keys.sql.ts';
import { noteKeyUse } from './key-uses.ts';

const CALLS: Limit = {
  name: 'api-key',
  points: 1200,
  perSeconds: 60,
  exceeded: 'This API key made more than 1,200 calls this minute.',
};

/** How exactly the last change is kept. */
const COARSE_MS = 3_600_000;

interface Place {
  id: string;
  organizationId: string;
}

async function findKey(services: Services, key: string, place: Place): Promise<KeyRow | undefined> {
  if (!isId(place.id) || !isId(place.organizationId)) return undefined;
  const row = await services.database.readSite(place.id, (site) => liveKeyOfHash(site, sha256(key)));
  if (row === undefined) return undefined;
  if (row.expires_at !== null && row.expires_at <= services.clock.now()) return undefined;
  return (await isSiteOf(services, place.id, place.organizationId)) ? row : undefined;
}

/** The answer to any key on a route that none may call. */
export function keysCannot(): AppError {
  const message = "API keys can't use this route. Log in to the dashboard, or use an access token.";
  return new AppError('forbidden', message, { data: { needs: [] } });
}

/** @throws AppError `forbidden` */
function requireScope({ scopes }: KeyRow, route: Route): void {
  const needed = scopesOf(route);
  if (needed.some((scope) => scopes.includes(scope))) return;
  if (needed.length === 0) throw keysCannot();
  const message = `This API key needs the scope ${needed.join(' or ')}. Create a key that has it.`;
  throw new AppError('forbidden', message, { data: { needs: needed, scopes } });
}

async function noteUse(services: Services, siteId: string, key: KeyRow): Promise<void> {
  const now = services.clock.now();
  const isRecent = key.last_changed_at !== null && now.getTime() - key.last_changed_at.getTime() < COARSE_MS;
  if (!isRecent) await services.database.inSite(siteId, (site) => recordKeyChange(site, key.id, now));
}

/**
 * Who an API key speaks for, on its own site and for a route of its scopes; looked up again for every call.
 * @throws AppError `token_not_valid`, `forbidden`, `rate_limited`
 */
export async function requireKey(
  services: Services,
  key: string,
  place: Place,
  route: Route,
): Promise<{ userId: string; role: 'viewer' | 'editor'; keyId: string }> {
  const row = await findKey(services, key, place);
  if (row === undefined) {
    throw new AppError(
      'token_not_valid',
      "This API key isn't valid here. Check that it's complete, not expired or revoked, and belongs to this site.",
    );
  }
  requireScope(row, route);
  noteKeyUse(services, row);
  if (route.method === 'GET') {
    await services.limits.useHere(CALLS, row.id);
  } else {
    await services.limits.use(CALLS, row.id);
    // What a viewer may call changes nothing, such as a preview.
    if (needsOf(route) !== 'viewer') await noteUse(services, place.id, row);
  }
  const role = row.scopes.includes('write') ? 'editor' : 'viewer';
  return { userId: row.created_by, role, keyId: row.id };
}
