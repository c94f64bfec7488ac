import { useQuery } from '@tanstack/react-query';
import { Plus, Search } from 'lucide-react';
import { type ReactNode, Suspense, useState } from 'react';
import { Autocomplete, Input, SearchField, useFilter } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { listSitesInNeed } from '#contract/dashboard.ts';
import type { Site } from '#contract/sites.ts';
import { MenuItem, MenuLayer, MenuSection } from '#web/ui/Menu.tsx';
import { call } from '../api/call.ts';
import { usePermission } from '../account/permissions.ts';
import type { LazyLayerProps } from '../components/LazyMenu.tsx';
import { leaveUnsaved } from '../drafts/unsaved-guard.tsx';
import { useLanguage } from '../i18n/i18n.ts';
import { LazyCreateSiteDialog } from '../screens/account/organization/lazy-create-site-dialog.ts';
import { useSite } from '../site/current-site.tsx';
import { hostOf } from '../site/site-host.ts';
import { byName } from '../site/site-order.ts';

/** From as many sites on, they can be searched. */
const MANY_SITES = 8;

const NEW_SITE = 'new';

export function SiteMenuLayer(layer: LazyLayerProps) {
  const { t } = useTranslation('shell');
  const { site, sites, select } = useSite();
  const language = useLanguage();
  const canCreate = usePermission('admin');
  const [isCreating, setIsCreating] = useState(false);
  const inNeed = useSitesInNeed();
  return (
    <>
      <MenuLayer
        {...layer}
        label={t(sites.length < 2 ? 'sites' : 'switch_site')}
        placement="bottom start"
        wrap={sites.length < MANY_SITES ? undefined : withSearch}
      >
        <MenuSection
          title={t('sites')}
          selectionMode="single"
          disallowEmptySelection
          selectedKeys={[site.id]}
          onSelectionChange={(keys) => {
            const [key] = keys;
            if (typeof key === 'string') leaveUnsaved(() => select(key));
          }}
        >
          {byName(sites, language).map((one) => (
            <MenuItem
              key={one.id}
              id={one.id}
              textValue={searchText(one)}
              detail={hostOf(one)}
              {...(inNeed.has(one.id) ? { hint: <InNeed /> } : {})}
            >
              {one.name}
            </MenuItem>
          ))}
        </MenuSection>
        {canCreate && (
          <MenuSection label={t('new_site')} isPinned>
            <MenuItem id={NEW_SITE} icon={<Plus />} onAction={() => setIsCreating(true)}>
              {t('new_site')}
            </MenuItem>
          </MenuSection>
        )}
      </MenuLayer>
      {isCreating && (
        <Suspense>
          <LazyCreateSiteDialog onClose={() => setIsCreating(false)} />
        </Suspense>
      )}
    </>
  );
}

/** The sites to look at; none while that is not known. */
function useSitesInNeed(): ReadonlySet<string> {
  const { organization_id, sites } = useSite();
  const { data } = useQuery({
    queryKey: ['organization', organization_id, 'sites-in-need'],
    queryFn: ({ signal }) => call(listSitesInNeed, { params: { organization_id } }, { signal }),
    enabled: sites.length > 1,
  });
  return new Set(data?.results.map(({ site_id }) => site_id));
}

function InNeed() {
  const { t } = useTranslation('shell');
  return (
    <span className="flex items-center gap-1.5 text-[13px] text-warning">
      <span aria-hidden className="size-1.5 rounded-full bg-warning" />
      {t('site_in_need')}
    </span>
  );
}

/** What finds a site: its name and its hosts. */
function searchText({ name, domain_name, custom_domain }: Site): string {
  return `${name} ${domain_name} ${custom_domain ?? ''}`;
}

const withSearch = (menu: ReactNode) => <SiteSearch>{menu}</SiteSearch>;

function SiteSearch({ children }: { children: ReactNode }) {
  const { t } = useTranslation('shell');
  const { sites } = useSite();
  const { contains } = useFilter({ sensitivity: 'base' });
  const [typed, setTyped] = useState('');
  return (
    <Autocomplete
      inputValue={typed}
      onInputChange={setTyped}
      filter={(text, wanted, { key }) => key === NEW_SITE || contains(text, wanted)}
    >
      <SearchField
        autoFocus
        aria-label={t('find_site')}
        className="sticky -top-1 z-10 -m-1 mb-0 flex items-center border-b border-line bg-raised"
      >
        <Search size={16} aria-hidden className="absolute left-3 text-ink-muted" />
        <Input
          placeholder={t('find_site')}
          className="w-full bg-transparent py-2.5 pr-3 pl-9 outline-none pointer-coarse:text-base [&::-webkit-search-cancel-button]:hidden"
        />
      </SearchField>
      <p role="status" className="px-2.5 py-1.5 text-ink-muted empty:sr-only">
        {sites.some((one) => contains(searchText(one), typed)) ? '' : t('no_site')}
      </p>
      {children}
    </Autocomplete>
  );
}
