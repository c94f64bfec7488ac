import { scopesOf } from '#contract/roles.ts';
import type { Route } from '#contract/route.ts';
import { ROUTES } from '#contract/routes.ts';

export { SITE_PATH } from '#contract/site-scope.ts';

/** Of a route, what it takes to call it. */
export type CallableRoute = Pick<Route, 'method' | 'path' | 'answers'> & { file?: object };

/**
 * Every route that an API key may call, by its operation id. The build puts the values in place of this module, so
 * that what is published has no schemas in it.
 */
export const KEY_ROUTES: Readonly<Record<string, CallableRoute>> = Object.fromEntries(
  [...ROUTES]
    .filter(([, route]) => scopesOf(route).length > 0)
    .map(([name, { method, path, answers }]) => [
      name,
      { method, path, ...(answers === undefined ? {} : { answers }) },
    ]),
);
