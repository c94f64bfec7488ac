const keyOf = (integrationId: string) => `left-out-lists:${integrationId}`;

/** Keys of the proposed lists that were left unlinked in this browser, so that they aren't suggested again. */
export function readLeftOut(integrationId: string): ReadonlySet<string> {
  try {
    const keys: unknown = JSON.parse(localStorage.getItem(keyOf(integrationId)) ?? '[]');
    return new Set(Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : []);
  } catch {
    return new Set();
  }
}

export function rememberLeftOut(integrationId: string, keys: readonly string[]): void {
  try {
    if (keys.length === 0) localStorage.removeItem(keyOf(integrationId));
    else localStorage.setItem(keyOf(integrationId), JSON.stringify(keys));
  } catch {
    // Full, or forbidden: they are suggested again.
  }
}
