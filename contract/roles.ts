import { z } from 'zod';
import type { Route } from './route.ts';

/** What somebody may do in an organization, from least to most: each may do all that those before it may. */
export const ROLES = ['viewer', 'editor', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

export const role = z
  .enum(ROLES)
  .describe(
    '`viewer` can see customers, lists, pages, actions and deliveries. `editor` can also change lists, pages, actions and customers. `admin` can also manage credentials, keys, members, domains and exports. `owner` can also manage owners.',
  );

/** May somebody with this role do what needs that one? */
export function isAtLeast(has: Role, needs: Role): boolean {
  return ROLES.indexOf(has) >= ROLES.indexOf(needs);
}

/** What an API key may do. None includes another. */
export const KEY_SCOPES = ['read', 'customers', 'write'] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

export const keyScope = z
  .enum(KEY_SCOPES)
  .describe(
    '`read`: everything a viewer can see. `customers`: find, add, change and erase customers, create their personal links, and read lists. `write`: everything else an editor can change.',
  );

/** Every API key begins with this. */
export const KEY_PREFIX = 'sk_';

/** @returns the least role that may call a route of an organization or a site: to read a viewer's, to write an editor's */
export function needsOf({ needs, method }: Pick<Route, 'needs' | 'method'>): Role {
  return needs ?? (method === 'GET' ? 'viewer' : 'editor');
}

/** @returns of which scopes an API key needs one for the route; none: no key may call it, as with all that needs an admin */
export function scopesOf(route: Pick<Route, 'access' | 'needs' | 'scopes' | 'method'>): readonly KeyScope[] {
  if (route.access !== 'site' || isAtLeast(needsOf(route), 'admin')) return [];
  return route.scopes ?? (needsOf(route) === 'viewer' ? ['read'] : ['write']);
}
