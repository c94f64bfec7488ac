import { useEffect } from 'react';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { type DashboardRange, getDashboard, getOnboarding } from '#contract/dashboard.ts';
import { listDeliveries } from '#contract/deliveries.ts';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import type { PrefetchTarget } from '../../prefetch/prefetch.ts';
import { useSite } from '../../site/current-site.tsx';
import type { SiteParams } from '../../site/site-params.ts';
import { stepsLeft } from './onboarding.logic.ts';
import { rememberedRange } from './remembered-range.ts';
import { useChecklist } from './use-checklist.ts';

/** How often visible figures are refreshed. */
const REFRESH_MS = 30_000;
const NEWEST_DELIVERIES = 6;

function onboardingQuery({ organization_id, site_id }: SiteParams) {
  return queryOptions({
    queryKey: ['dashboard', site_id, 'onboarding'],
    queryFn: ({ signal }) => call(getOnboarding, { params: { organization_id, site_id } }, { signal }),
    staleTime: 0,
  });
}

/**
 * The facts behind the checklist. While steps are left, they are read again when the window gets the focus, because
 * another window or tab may have done one, and every half minute.
 */
export function useOnboardingFacts() {
  const { isBegun } = useChecklist();
  const query = useQuery({
    ...onboardingQuery(useSite()),
    refetchInterval: ({ state }) => (state.data && stepsLeft(state.data, isBegun) > 0 ? REFRESH_MS : false),
  });
  const { refetch, data } = query;
  const isOpen = data !== undefined && stepsLeft(data, isBegun) > 0;
  useEffect(() => {
    if (!isOpen) return undefined;
    // The queries themselves notice only that a tab is shown again, not that its window gets the focus.
    const readAgain = () => void refetch({ cancelRefetch: false });
    window.addEventListener('focus', readAgain);
    return () => window.removeEventListener('focus', readAgain);
  }, [isOpen, refetch]);
  return query;
}

function figuresQuery({ organization_id, site_id }: SiteParams, range: DashboardRange) {
  return queryOptions({
    queryKey: ['dashboard', site_id, 'figures', range],
    queryFn: ({ signal }) =>
      call(getDashboard, { params: { organization_id, site_id }, query: { range } }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
}

/** Refetched when the window gets the focus, and every half minute while it is visible. */
export function useDashboard(range: DashboardRange) {
  return useQuery({
    ...figuresQuery(useSite(), range),
    refetchInterval: REFRESH_MS,
    refetchOnWindowFocus: true,
  });
}

/** The same figures, for what stands beside them. Requests nothing that `useDashboard` requests already. */
export function useFigures(range: DashboardRange) {
  return useQuery({
    ...figuresQuery(useSite(), range),
    refetchOnMount: false,
    refetchOnWindowFocus: false,
  });
}

function recentDeliveriesQuery({ organization_id, site_id }: SiteParams) {
  return queryOptions({
    queryKey: ['dashboard', site_id, 'deliveries'],
    queryFn: async ({ signal }) => {
      const { results } = await call(
        listDeliveries,
        { params: { organization_id, site_id }, query: { limit: NEWEST_DELIVERIES } },
        { signal },
      );
      return results;
    },
    staleTime: 0,
  });
}

export function useRecentDeliveries() {
  return useQuery({ ...recentDeliveriesQuery(useSite()), refetchInterval: REFRESH_MS });
}

export function prefetchDashboard({ site, search }: PrefetchTarget): void {
  const range = search['range'] as DashboardRange | undefined;
  void queryClient.prefetchQuery(figuresQuery(site, range ?? rememberedRange()));
  void queryClient.prefetchQuery(onboardingQuery(site));
  void queryClient.prefetchQuery(recentDeliveriesQuery(site));
}
