import { useSyncExternalStore } from 'react';
import { keptInBrowser } from '#web/ui/browser-storage.ts';
import { useSite } from '../../site/current-site.tsx';

/** Lists of sites whose checklist is hidden in this browser, was completed, or was seen with steps left. */
const KEYS = { hidden: 'checklist-hidden', done: 'checklist-done', begun: 'checklist-begun' } as const;
type Flag = keyof typeof KEYS;

const listeners = new Set<() => void>();

const read = (flag: Flag) => keptInBrowser.getItem(KEYS[flag]) ?? '';
const sitesOf = (entry: string) => entry.split(' ').filter(Boolean);

/** Told of what this tab changes, and of what others do. */
function subscribe(listener: () => void) {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

function setFlag(flag: Flag, siteId: string, isIn: boolean) {
  const others = sitesOf(read(flag)).filter((id) => id !== siteId);
  keptInBrowser.setItem(KEYS[flag], [...others, ...(isIn ? [siteId] : [])].join(' '));
  for (const listener of listeners) listener();
}

/** Whether the onboarding checklist is shown: on the dashboard, and as a link in the sidebar. */
export function useChecklist() {
  const { site_id } = useSite();
  const hidden = useSyncExternalStore(subscribe, () => read('hidden'));
  const done = useSyncExternalStore(subscribe, () => read('done'));
  const begun = useSyncExternalStore(subscribe, () => read('begun'));
  const isDone = sitesOf(done).includes(site_id);
  const isBegun = sitesOf(begun).includes(site_id);
  return {
    isHidden: sitesOf(hidden).includes(site_id),
    /** Completed once, it does not come back. */
    isDone,
    /** Seen with steps left. */
    isBegun,
    /** Completed in this browser, where it was open before: not when a site of long ago is opened in a new one. */
    isJustDone: isDone && isBegun,
    hide: () => setFlag('hidden', site_id, true),
    show: () => setFlag('hidden', site_id, false),
    begin: () => {
      if (!isBegun) setFlag('begun', site_id, true);
    },
    finish: () => setFlag('done', site_id, true),
    /** What says that it is done has been read. */
    close: () => setFlag('begun', site_id, false),
  };
}
