/** A form's draft, in the session storage: it outlives a reload and a log-in, but not its tab. */
export function draftKey(ownerId: string, form: string): string {
  return `draft:${ownerId}:${form}`;
}

/** The palette's recent commands, in the local storage. */
export function recentKey(ownerId: string): string {
  return `recent:${ownerId}`;
}

/** Signing out leaves nothing behind in this browser. */
export function evictStoredBy(ownerId: string): void {
  localStorage.removeItem(recentKey(ownerId));
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(draftKey(ownerId, ''))) sessionStorage.removeItem(key);
  }
}
