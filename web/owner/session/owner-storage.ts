import { keptInBrowser, keptInTab } from '#web/ui/browser-storage.ts';

/** A form's draft, for its tab: it outlives a reload and a log-in. */
export function draftKey(ownerId: string, form: string): string {
  return `draft:${ownerId}:${form}`;
}

/** The palette's recent commands, for the browser. */
export function recentKey(ownerId: string): string {
  return `recent:${ownerId}`;
}

/** What was typed into a page's editor and could not be saved, for the browser. */
export function pageDraftKey(ownerId: string, siteId: string, pageId: string | undefined): string {
  return `page-draft:${ownerId}:${siteId}:${pageId ?? 'new'}`;
}

/** The answers of the survey, for its tab. */
export function surveyKey(ownerId: string): string {
  return `survey:${ownerId}`;
}

/** Says to the other tabs who has signed out. */
const SIGNED_OUT_KEY = 'signed_out';

/** Signing out leaves nothing behind in this browser. */
export function clearStoredData(ownerId: string): void {
  evictHere(ownerId);
  keptInBrowser.setItem(SIGNED_OUT_KEY, ownerId);
  keptInBrowser.removeItem(SIGNED_OUT_KEY);
}

function evictHere(ownerId: string): void {
  for (const kept of [keptInBrowser, keptInTab]) {
    for (const key of kept.keys()) if (key.split(':')[1] === ownerId) kept.removeItem(key);
  }
}

/** Signing out in another tab leaves nothing behind in this one, either. */
export function followSignOut(): void {
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key === SIGNED_OUT_KEY && newValue !== null) evictHere(newValue);
  });
}
