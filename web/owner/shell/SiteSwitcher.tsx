import { ChevronsUpDown } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { usePermission } from '../account/permissions.ts';
import { useSite } from '../site/current-site.tsx';
import { hostOf } from '../site/site-host.ts';
import { LazyMenu } from '../components/LazyMenu.tsx';

/** Shows the current site; a menu where there is another one to switch to, or one may be created. */
export function SiteSwitcher() {
  const { t } = useTranslation('shell');
  const { site, sites } = useSite();
  const canCreate = usePermission('admin');
  const face = (
    <span className="min-w-0 flex-1 text-left">
      <span className="block truncate font-medium">{site.name}</span>
      <span className="block truncate text-xs text-ink-muted">{hostOf(site)}</span>
    </span>
  );
  if (sites.length < 2 && !canCreate)
    return <div className="flex rounded-lg border border-line px-3 py-2">{face}</div>;
  return (
    <LazyMenu
      className="flex cursor-pointer items-center gap-2 rounded-lg border border-line bg-surface px-3 py-2 hover:bg-hover"
      load={async () => (await import('./SiteMenuLayer.tsx')).SiteMenuLayer}
    >
      <span className="sr-only">{t(sites.length < 2 ? 'sites' : 'switch_site')}:</span>
      {face}
      <ChevronsUpDown size={16} aria-hidden className="shrink-0 text-ink-muted" />
    </LazyMenu>
  );
}
