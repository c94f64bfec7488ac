import { useSyncExternalStore } from 'react';
import { useSite } from '../../site/current-site.tsx';

/** Sites whose checklist this browser hides, and those where it was seen to be done. */
const KEYS = { hidden: 'checklist-hidden', done: 'checklist-done' } as const;
type Kept = keyof typeof KEYS;

const listeners = new Set<() => void>();

const read = (kept: Kept) => localStorage.getItem(KEYS[kept]) ?? '';
const sitesOf = (entry: string) => entry.split(' ').filter(Boolean);

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function keep(kept: Kept, siteId: string, isIn: boolean) {
  const others = sitesOf(read(kept)).filter((id) => id !== siteId);
  localStorage.setItem(KEYS[kept], [...others, ...(isIn ? [siteId] : [])].join(' '));
  for (const listener of listeners) listener();
}

/** Where the first steps of the site are shown: the same on the dashboard and beside the screens. */
export function useChecklist() {
  const { site_id } = useSite();
  const hidden = useSyncExternalStore(subscribe, () => read('hidden'));
  const done = useSyncExternalStore(subscribe, () => read('done'));
  return {
    isHidden: sitesOf(hidden).includes(site_id),
    /** Everything was done once: there is nothing to come back to. */
    isDone: sitesOf(done).includes(site_id),
    hide: () => keep('hidden', site_id, true),
    show: () => keep('hidden', site_id, false),
    finish: () => keep('done', site_id, true),
  };
}
