import type { Services } from '#server/platform/services.ts';
import { findSiteOfHost } from './hosts.ts';

/** Whether this installation answers the URL: its app, a site or a site's own domain. */
export async function isOwnUrl(services: Services, url: string): Promise<boolean> {
  const asked = new URL(url);
  const app = new URL(services.config.appUrl);
  if (asked.port !== app.port) return false;
  // A name may end with the dot of the root.
  const hostname = asked.hostname.replace(/\.$/, '');
  return hostname === app.hostname || (await findSiteOfHost(services, hostname)) !== null;
}
