import { rehearse } from '#server/choices/choices/rehearsal.ts';
import type { Http } from '#server/platform/http/server.ts';

/** The only path whose POST takes one-click requests. No other is posted to, because a rehearsal holds back choices alone. */
const ONE_CLICK_PATH = /^\/u\/[^/]+$/;

/**
 * Sends the request that a mail program makes for a one-click link (RFC 8058, section 3.2) through the product's own
 * router and handler, from host name to answer. Only the choice isn't written, and nothing leaves the process: what
 * stands in front of it (DNS, certificate, proxy) isn't tried.
 * @returns the status of the answer; null for a URL that isn't a one-click link, which isn't posted to
 */
export async function rehearseOneClick(http: Http, url: URL): Promise<number | null> {
  if (!ONE_CLICK_PATH.test(url.pathname)) return null;
  const { statusCode } = await rehearse(() =>
    http.inject({
      method: 'POST',
      url: url.pathname + url.search,
      headers: { host: url.host, 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'List-Unsubscribe=One-Click',
    }),
  );
  return statusCode;
}
