import { useState } from 'react';
import { useSite } from '../../site.tsx';

const KEY = 'checklist-hidden';

function hiddenSites(): string[] {
  return (localStorage.getItem(KEY) ?? '').split(' ').filter(Boolean);
}

/** Whether this browser hides the checklist of the site. */
export function useChecklist() {
  const { site_id } = useSite();
  const [hidden, setHidden] = useState(hiddenSites);
  function keep(sites: string[]) {
    localStorage.setItem(KEY, sites.join(' '));
    setHidden(sites);
  }
  const others = hidden.filter((id) => id !== site_id);
  return {
    isHidden: hidden.includes(site_id),
    hide: () => keep([...others, site_id]),
    show: () => keep(others),
  };
}
