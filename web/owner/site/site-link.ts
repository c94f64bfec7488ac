/** Names the site in the URL of a screen. */
export const SITE_PARAMETER = 'site';

/** The same address, for a window that may be on another site. */
export function linkToSite(siteId: string, address: string): string {
  const url = new URL(address);
  url.searchParams.set(SITE_PARAMETER, siteId);
  return url.href;
}
