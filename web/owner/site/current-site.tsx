import { queryOptions, useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useState } from 'react';
import { listSitesV1_1, type Site } from '#contract/sites.ts';
import { call } from '../api/call.ts';
import { selectSite, readSelectedSite } from './selected-site.ts';

export interface CurrentSite {
  organization_id: string;
  site_id: string;
  site: Site;
  sites: Site[];
  select: (siteId: string) => void;
}

export function sitesQuery(organizationId: string) {
  return queryOptions({
    queryKey: ['sites', organizationId],
    queryFn: async ({ signal }) => {
      const { results } = await call(
        listSitesV1_1,
        { params: { organization_id: organizationId } },
        { signal },
      );
      return results;
    },
    staleTime: 60_000,
  });
}

const CurrentSiteContext = createContext<CurrentSite | null>(null);

interface SiteProviderProps {
  organizationId: string;
  loading: ReactNode;
  failed: (error: unknown, retry: () => void) => ReactNode;
  /** The organization has no site yet (creating it failed in the survey). */
  empty: ReactNode;
  children: ReactNode;
}

/** Loads the organization's sites; local storage remembers the selected one. */
export function SiteProvider({ organizationId, loading, failed, empty, children }: SiteProviderProps) {
  const query = useQuery(sitesQuery(organizationId));
  const [chosenId, setChosenId] = useState(readSelectedSite);

  if (query.isPending) return loading;
  if (query.isLoadingError) return failed(query.error, () => void query.refetch());
  const sites = query.data;
  const site = sites.find((one) => one.id === chosenId) ?? sites[0];
  if (!site) return empty;

  function select(siteId: string) {
    selectSite(siteId);
    setChosenId(siteId);
  }

  return (
    <CurrentSiteContext value={{ organization_id: organizationId, site_id: site.id, site, sites, select }}>
      {children}
    </CurrentSiteContext>
  );
}

/** The site that the owner works on. Only inside the shell. */
export function useSite(): CurrentSite {
  const current = useContext(CurrentSiteContext);
  if (!current) throw new Error('useSite outside of SiteProvider');
  return current;
}
