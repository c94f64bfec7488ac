import { keyOfRecent } from '../kept.ts';
import { readAuth } from '../session.ts';
import { withRecent } from './commands.logic.ts';

/** Ids alone, never a name or an address; forgotten when the person signs out. */
function keyOf(): string {
  return keyOfRecent(readAuth()?.id ?? '');
}

export function readRecent(): string[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(keyOf()) ?? '[]');
    return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}

export function noteRecent(id: string): void {
  localStorage.setItem(keyOf(), JSON.stringify(withRecent(readRecent(), id)));
}
