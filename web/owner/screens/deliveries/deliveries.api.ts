import {
  infiniteQueryOptions,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
} from '@tanstack/react-query';
import { useEffect } from 'react';
import { getEvidence } from '#contract/choices.ts';
import {
  countReplays,
  type DeliveryStatus,
  getDelivery,
  listDeliveries,
  replayDeliveries,
  replayDelivery,
} from '#contract/deliveries.ts';
import type { TestFilterValue } from '#contract/fields.ts';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import type { PrefetchTarget } from '../../prefetch/prefetch.ts';
import { useSite } from '../../site/current-site.tsx';
import { type SiteParams, siteParams } from '../../site/site-params.ts';
import { actionsQuery } from '../../queries/action-queries.ts';
import { deliveriesKey, refreshDeliveries } from '../../queries/delivery-queries.ts';
import { refreshMs } from './deliveries.logic.ts';

export interface DeliveryFilter {
  status?: DeliveryStatus | undefined;
  action_id?: string | undefined;
  customer_id?: string | undefined;
  integration_id?: string | undefined;
  late?: 'true' | undefined;
  unconfirmed?: 'true' | undefined;
  since?: string | undefined;
  test?: TestFilterValue;
}

const PAGE_SIZE = 50;

function deliveriesQuery(site: SiteParams, filter: DeliveryFilter) {
  return infiniteQueryOptions({
    queryKey: [...deliveriesKey(site.site_id), 'log', filter],
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
  const current = useSite();
  return useInfiniteQuery({
    ...deliveriesQuery(current, filter),
    refetchInterval: ({ state }) =>
      refreshMs(state.data?.pages.flatMap((page) => page.results) ?? [], current.site.test_mode),
  });
}

/** Opening a delivery doesn't reload a log that is younger than this. */
const LOG_BEHIND_MS = 15_000;

export function prefetchDeliveries({ site, search: { delivery, ...filter } }: PrefetchTarget): void {
  const isBehind = typeof delivery === 'string';
  if (isBehind) prefetchDelivery(site, filter, delivery);
  const staleTime = isBehind ? LOG_BEHIND_MS : 0;
  const replayFilter = replayFilterOf(filter);
  if (replayFilter !== null)
    void queryClient.prefetchQuery({ ...replayCountQuery(site, replayFilter), staleTime });
  void queryClient.prefetchInfiniteQuery({ ...deliveriesQuery(site, filter), staleTime });
  void queryClient.prefetchQuery(actionsQuery(site));
}

/** Also prefetches its choice, if the log is cached and says which one it is. */
function prefetchDelivery(site: SiteParams, filter: DeliveryFilter, id: string): void {
  void queryClient.prefetchQuery(deliveryQuery(site, id));
  const pages = queryClient.getQueryData(deliveriesQuery(site, filter).queryKey)?.pages ?? [];
  const row = pages.flatMap(({ results }) => results).find((one) => one.id === id);
  if (row !== undefined) void queryClient.prefetchQuery(evidenceQuery(site, row.choice_id));
}

function deliveryQuery(site: SiteParams, id: string) {
  return queryOptions({
    queryKey: [...deliveriesKey(site.site_id), 'one', id],
    queryFn: ({ signal }) => call(getDelivery, { params: { ...siteParams(site), id } }, { signal }),
    staleTime: 0,
  });
}

export function useDelivery(id: string) {
  const current = useSite();
  return useQuery({
    ...deliveryQuery(current, id),
    refetchInterval: ({ state }) => refreshMs(state.data ? [state.data] : [], current.site.test_mode),
  });
}

/** The deliveries of one choice. One page holds them: no choice has more actions. */
export function useDeliveriesOf(choiceId: string) {
  const current = useSite();
  return useQuery({
    queryKey: [...deliveriesKey(current.site_id), 'of-choice', choiceId],
    queryFn: ({ signal }) =>
      call(
        listDeliveries,
        { params: siteParams(current), query: { choice_id: choiceId, limit: PAGE_SIZE } },
        { signal },
      ),
    staleTime: 0,
    refetchInterval: ({ state }) => refreshMs(state.data?.results ?? [], current.site.test_mode),
  });
}

function evidenceQuery(site: SiteParams, choiceId: string) {
  return queryOptions({
    queryKey: ['site', site.site_id, 'evidence', choiceId],
    queryFn: ({ signal }) => call(getEvidence, { params: { ...siteParams(site), id: choiceId } }, { signal }),
    staleTime: Infinity,
  });
}

export function useEvidence(choiceId: string) {
  return useQuery(evidenceQuery(useSite(), choiceId));
}

export function useReplay(id: string) {
  const site = useSite();
  return useMutation({
    mutationFn: () => call(replayDelivery, { params: { ...siteParams(site), id } }),
    onSuccess: () => refreshDeliveries(site.site_id),
  });
}

export interface ReplayProgress {
  done: number;
  remaining: number;
}

/** What is sent again: failed deliveries, or those that wait for their next attempt. */
export type ReplayStatus = 'failed' | 'waiting';

export interface ReplayFilter extends Omit<DeliveryFilter, 'status' | 'test'> {
  status: ReplayStatus;
}

/** The deliveries of the log that can be sent again; null: there are none, whatever it shows. */
export function replayFilterOf({ status = 'failed', test, ...filter }: DeliveryFilter): ReplayFilter | null {
  // Nothing that a test customer chose is sent.
  return status === 'arrived' || test === 'true' ? null : { ...filter, status };
}

function replayCountQuery(site: SiteParams, filter: ReplayFilter) {
  return queryOptions({
    queryKey: [...deliveriesKey(site.site_id), 'replays', filter],
    queryFn: ({ signal }) => call(countReplays, { params: siteParams(site), query: filter }, { signal }),
    staleTime: 0,
  });
}

/** How many deliveries of the filter would be sent again. */
export const countReplayable = (site: SiteParams, filter: ReplayFilter) =>
  queryClient.fetchQuery(replayCountQuery(site, filter));

/**
 * How many deliveries of the filter would be sent again; counted again whenever the log is read again.
 * @param logReadAt the log's `dataUpdatedAt`
 */
export function useReplayCount(filter: ReplayFilter, logReadAt: number) {
  const query = useQuery(replayCountQuery(useSite(), filter));
  const { refetch } = query;
  useEffect(() => {
    // Not while it is being counted, as it is when both are refreshed.
    if (logReadAt > 0) void refetch({ cancelRefetch: false });
  }, [refetch, logReadAt]);
  return query;
}

/** Replays all deliveries of the filter, in as many calls as the API's limit requires. @returns how many */
export async function replayAll(
  site: SiteParams,
  filter: ReplayFilter,
  onProgress?: (progress: ReplayProgress) => void,
): Promise<number> {
  let done = 0;
  try {
    for (;;) {
      const { replayed, remaining } = await call(replayDeliveries, {
        params: siteParams(site),
        body: filter,
      });
      done += replayed;
      onProgress?.({ done, remaining });
      if (remaining === 0 || replayed === 0) return done;
    }
  } finally {
    await refreshDeliveries(site.site_id);
  }
}
