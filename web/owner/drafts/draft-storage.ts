import { keptInTab } from '#web/ui/browser-storage.ts';
import { draftKey } from '../session/owner-storage.ts';

/**
 * One form's draft of one person, in this tab.
 * @param isComplete tells a draft from what an older release may have stored
 */
export function draftStorage(ownerId: string, form: string, isComplete: (value: object) => boolean) {
  const key = draftKey(ownerId, form);
  return {
    read(): object | null {
      try {
        const value: unknown = JSON.parse(keptInTab.getItem(key) ?? 'null');
        return typeof value === 'object' && value !== null && isComplete(value) ? value : null;
      } catch {
        return null;
      }
    },
    write: (value: unknown) => keptInTab.setItem(key, JSON.stringify(value)),
    evict: () => keptInTab.removeItem(key),
  };
}
