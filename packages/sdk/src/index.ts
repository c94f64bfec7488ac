import { withoutTrailingSlashes } from '#contract/trailing-slashes.ts';
import { callRoute, type Send } from '#contract/client.ts';
import type { Route } from '#contract/route.ts';
import { saysoErrorOf } from './errors.ts';
import type { Sayso } from './operations.ts';
import type { CallOptions, SaysoOptions, SaysoSite } from './public-types.ts';
import { retrying } from './retrying.ts';
import { KEY_ROUTES, SITE_PATH } from './routes.ts';

export { SaysoError } from './errors.ts';
export type { Sayso } from './operations.ts';
export type { SaysoOptions } from './public-types.ts';

type Parts = Record<string, unknown>;
type Call = (parts?: Parts, options?: CallOptions) => Promise<unknown>;

const SITE = new RegExp(
  `^(?<server>.*)/api${SITE_PATH.replace('{organization_id}', '(?<organizationId>[^/]+)').replace('{site_id}', '(?<siteId>[^/]+)')}$`,
);

/** @throws TypeError that says what is missing */
function siteOf({ url, organizationId = '', siteId = '' }: SaysoOptions): SaysoSite {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new TypeError(`url: must be a URL like https://app.example.com, and is "${url}".`);
  }
  const trimmed = withoutTrailingSlashes(url);
  const found = SITE.exec(trimmed)?.groups;
  const site = {
    server: found?.['server'] ?? trimmed.replace(/\/api(\/core\/v1)?$/, ''),
    organizationId: organizationId || (found?.['organizationId'] ?? ''),
    siteId: siteId || (found?.['siteId'] ?? ''),
  };
  if (site.organizationId === '' || site.siteId === '') {
    throw new TypeError(
      'url: has no organization and site in it. Copy the base URL from Account Settings, API keys and secrets, or give both ids.',
    );
  }
  return site;
}

/**
 * A client of one site, with a method for every call that an API key may make.
 * @throws TypeError for a URL or a key that can't be one; its calls reject with `SaysoError`
 */
export function createSayso(options: SaysoOptions): Sayso {
  const site = siteOf(options);
  if (!/^[\x21-\x7e]+$/.test(options.key)) {
    throw new TypeError('key: must be an API key. It starts with "sk_" and has no spaces.');
  }
  const send = retrying(options);
  const headers = { authorization: `Bearer ${options.key}` };

  function method(route: (typeof KEY_ROUTES)[string]): Call {
    return async ({ query, body, file, ...path } = {}, { signal } = {}) => {
      let cause: unknown;
      const noted: Send = async (url, init) => {
        try {
          return await send(url, init);
        } catch (error) {
          cause = error;
          throw error;
        }
      };
      const params = { ...path, organization_id: site.organizationId, site_id: site.siteId };
      try {
        // The declared types are those of `Sayso`; here every route is called the same way.
        return await callRoute(route as Route, { params, query, body, file } as object, {
          base: site.server,
          headers,
          send: noted,
          keepalive: false,
          ...(signal === undefined ? {} : { signal }),
        });
      } catch (error) {
        throw saysoErrorOf(error, site.server, cause);
      }
    };
  }

  const methods = new Map(Object.entries(KEY_ROUTES).map(([name, route]) => [name, method(route)]));

  async function* each(operation: string, parts: Parts = {}, callOptions: CallOptions = {}) {
    let query = parts['query'] as Parts | undefined;
    for (;;) {
      const page = (await methods.get(operation)?.({ ...parts, query }, callOptions)) as {
        results: unknown[];
        next: string | null;
      };
      yield* page.results;
      if (page.next === null) return;
      query = { ...query, cursor: page.next };
    }
  }

  return { ...Object.fromEntries(methods), site, each } as unknown as Sayso;
}
