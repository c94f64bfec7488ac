import {
  infiniteQueryOptions,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
} from '@tanstack/react-query';
import { getEvidence } from '#contract/choices.ts';
import {
  type DeliveryStatus,
  getDelivery,
  listDeliveries,
  replayDeliveries,
  replayDelivery,
} from '#contract/deliveries.ts';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import type { PrefetchTarget } from '../../prefetch/prefetch.ts';
import { useSite } from '../../site/current-site.tsx';
import { type SiteParams, siteParams } from '../../site/site-params.ts';
import { actionsQuery } from '../../queries/action-queries.ts';
import { refreshMs } from './deliveries.logic.ts';

export interface DeliveryFilter {
  status?: DeliveryStatus | undefined;
  action_id?: string | undefined;
  customer_id?: string | undefined;
  integration_id?: string | undefined;
  late?: 'true' | undefined;
  unconfirmed?: 'true' | undefined;
  since?: string | undefined;
}

const PAGE_SIZE = 50;

const logKey = (site: SiteParams) => ['site', site.site_id, 'deliveries'];

function deliveriesQuery(site: SiteParams, filter: DeliveryFilter) {
  return infiniteQueryOptions({
    queryKey: [...logKey(site), filter],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { ...filter, limit: PAGE_SIZE, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return call(listDeliveries, { params: siteParams(site), query }, { signal });
    },
    getNextPageParam: (page) => page.next,
    staleTime: 0,
  });
}

/** The log, newest first; polls every few seconds while something in it is waiting. */
export function useDeliveries(filter: DeliveryFilter) {
  return useInfiniteQuery({
    ...deliveriesQuery(useSite(), filter),
    refetchInterval: ({ state }) => refreshMs(state.data?.pages.flatMap((page) => page.results) ?? []),
  });
}

export function prefetchDeliveries({ site, search: { delivery: _shown, ...filter } }: PrefetchTarget): void {
  void queryClient.prefetchInfiniteQuery(deliveriesQuery(site, filter));
  void queryClient.prefetchQuery(actionsQuery(site));
}

function deliveryQuery(site: SiteParams, id: string) {
  return queryOptions({
    queryKey: ['site', site.site_id, 'delivery', id],
    queryFn: ({ signal }) => call(getDelivery, { params: { ...siteParams(site), id } }, { signal }),
    staleTime: 0,
  });
}

export function useDelivery(id: string) {
  return useQuery({
    ...deliveryQuery(useSite(), id),
    refetchInterval: ({ state }) => refreshMs(state.data ? [state.data] : []),
  });
}

/** The deliveries of one choice. One page holds them: no choice has more actions. */
export function useDeliveriesOf(choiceId: string) {
  const site = useSite();
  return useQuery({
    queryKey: [...logKey(site), { choice_id: choiceId }],
    queryFn: ({ signal }) =>
      call(
        listDeliveries,
        { params: siteParams(site), query: { choice_id: choiceId, limit: PAGE_SIZE } },
        { signal },
      ),
    staleTime: 0,
    refetchInterval: ({ state }) => refreshMs(state.data?.results ?? []),
  });
}

export function useEvidence(choiceId: string) {
  const site = useSite();
  return useQuery({
    queryKey: ['site', site.site_id, 'evidence', choiceId],
    queryFn: ({ signal }) => call(getEvidence, { params: { ...siteParams(site), id: choiceId } }, { signal }),
    staleTime: Infinity,
  });
}

function refreshLog(site: SiteParams) {
  return queryClient.invalidateQueries({ queryKey: logKey(site) });
}

export function useReplay(id: string) {
  const site = useSite();
  return useMutation({
    mutationFn: () => call(replayDelivery, { params: { ...siteParams(site), id } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: deliveryQuery(site, id).queryKey });
      await refreshLog(site);
    },
  });
}

export interface ReplayProgress {
  done: number;
  remaining: number;
}

/** Replays all failed deliveries of the filter, in as many calls as the API's limit requires. */
export function useReplayAll(filter: Pick<DeliveryFilter, 'action_id' | 'customer_id'>) {
  const site = useSite();
  return async (onProgress: (progress: ReplayProgress) => void): Promise<number> => {
    let done = 0;
    try {
      for (;;) {
        const { replayed, remaining } = await call(replayDeliveries, {
          params: siteParams(site),
          body: filter,
        });
        done += replayed;
        onProgress({ done, remaining });
        if (remaining === 0 || replayed === 0) return done;
      }
    } finally {
      await refreshLog(site);
    }
  };
}
