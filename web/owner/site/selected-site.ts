import { keptInBrowser } from '#web/ui/browser-storage.ts';
import { SITE_PARAMETER } from './site-link.ts';

/** Remembers the site that the owner works on across visits. */
const KEY = 'site';

export function readSelectedSite(): string | null {
  return keptInBrowser.getItem(KEY);
}

export function selectSite(siteId: string): void {
  keptInBrowser.setItem(KEY, siteId);
}

/** Emails and colleagues link to a screen of one site. The parameter is removed, so that a reload keeps a later choice. */
function takeLinkedSite(): void {
  const address = new URL(location.href);
  const siteId = address.searchParams.get(SITE_PARAMETER);
  if (siteId === null) return;
  selectSite(siteId);
  address.searchParams.delete(SITE_PARAMETER);
  history.replaceState(history.state, '', address);
}

// Before the router reads the address.
takeLinkedSite();
