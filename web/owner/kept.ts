/** Of a form's draft, in the session storage: it outlives a reload and a log-in, but not its tab. */
export function keyOfDraft(ownerId: string, form: string): string {
  return `draft:${ownerId}:${form}`;
}

/** Of what the palette was used for last, in the local storage. */
export function keyOfRecent(ownerId: string): string {
  return `recent:${ownerId}`;
}

/** Whoever signs out leaves nothing behind in this browser. */
export function forgetKept(ownerId: string): void {
  localStorage.removeItem(keyOfRecent(ownerId));
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(keyOfDraft(ownerId, ''))) sessionStorage.removeItem(key);
  }
}
