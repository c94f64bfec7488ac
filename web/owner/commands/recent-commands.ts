import { keptInBrowser } from '#web/ui/browser-storage.ts';
import { recentKey } from '../session/owner-storage.ts';
import { readAuth } from '../session/session.ts';
import { withRecent } from './commands.logic.ts';

/** Only ids, never a name or an address. Signing out evicts them. */
export function readRecent(): string[] {
  try {
    const value: unknown = JSON.parse(keptInBrowser.getItem(ownKey()) ?? '[]');
    return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}

export function addRecent(id: string): void {
  keptInBrowser.setItem(ownKey(), JSON.stringify(withRecent(readRecent(), id)));
}

function ownKey(): string {
  return recentKey(readAuth()?.id ?? '');
}
