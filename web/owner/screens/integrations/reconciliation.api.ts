import { infiniteQueryOptions, useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import {
  cancelComparison,
  type DifferenceKind,
  dismissDifference,
  listComparisonDifferences,
  listComparisons,
  listDifferences,
  type ListedCount,
  mendDifference,
  mendDifferences,
  startComparison,
} from '#contract/comparisons.ts';
import { listInbound } from '#contract/inbound.ts';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { useSite } from '../../site/current-site.tsx';
import type { SiteParams } from '../../site/site-params.ts';
import { integrationKey } from '../../queries/integration-queries.ts';

const WATCH_MS = 2000;
const EVENTS_AT_ONCE = 10;
const DIFFERENCES_AT_ONCE = 25;

function useItem(id: string) {
  const { organization_id, site_id } = useSite();
  return {
    params: { organization_id, site_id, id },
    comparisonsKey: [...integrationKey(site_id, id), 'comparisons'],
    differencesKey: [...integrationKey(site_id, id), 'differences'],
  };
}

export function inboundQuery({ organization_id, site_id }: SiteParams, id: string) {
  const params = { organization_id, site_id, id };
  return infiniteQueryOptions({
    queryKey: [...integrationKey(site_id, id), 'inbound'],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: EVENTS_AT_ONCE, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return call(listInbound, { params, query }, { signal });
    },
    getNextPageParam: (page) => page.next,
  });
}

/** Events received from the tool, newest first. */
export function useInbound(id: string) {
  return useInfiniteQuery(inboundQuery(useSite(), id));
}

/** The last comparison or repair; polled while it runs. */
export function useLastReconciliation(id: string) {
  const { params, comparisonsKey } = useItem(id);
  return useQuery({
    queryKey: comparisonsKey,
    queryFn: async ({ signal }) => {
      const { results, nightly_at } = await call(
        listComparisons,
        { params, query: { limit: 1 } },
        { signal },
      );
      return { last: results[0] ?? null, nightly_at };
    },
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.last?.status === 'running' ? WATCH_MS : false),
  });
}

/** The open discrepancies, newest first. */
export function useDiscrepancies(id: string) {
  const { params, differencesKey } = useItem(id);
  return useInfiniteQuery({
    queryKey: differencesKey,
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam === null ? {} : { cursor: pageParam };
      const query = { status: 'open' as const, limit: DIFFERENCES_AT_ONCE, ...cursor };
      return call(listDifferences, { params, query }, { signal });
    },
    getNextPageParam: (page) => page.next,
    staleTime: 0,
  });
}

/** The discrepancies behind a count, newest first. */
export function useDiscrepanciesBehind(id: string, comparisonId: string, count: ListedCount) {
  const { params, differencesKey } = useItem(id);
  return useInfiniteQuery({
    queryKey: [...differencesKey, comparisonId, count],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = {
        count,
        limit: DIFFERENCES_AT_ONCE,
        ...(pageParam === null ? {} : { cursor: pageParam }),
      };
      const ofComparison = { ...params, comparison_id: comparisonId };
      return call(listComparisonDifferences, { params: ofComparison, query }, { signal });
    },
    getNextPageParam: (page) => page.next,
    staleTime: 0,
  });
}

/** Call it when a comparison has ended. */
export function useRefreshDiscrepancies(id: string): () => Promise<void> {
  const { differencesKey } = useItem(id);
  return () => queryClient.invalidateQueries({ queryKey: differencesKey });
}

export function useStartReconciliation(id: string) {
  const { params, comparisonsKey } = useItem(id);
  return useMutation({
    mutationFn: () => call(startComparison, { params }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: comparisonsKey }),
  });
}

export function useCancelReconciliation(id: string) {
  const { params, comparisonsKey } = useItem(id);
  return useMutation({
    mutationFn: (comparisonId: string) =>
      call(cancelComparison, { params: { ...params, comparison_id: comparisonId } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: comparisonsKey }),
  });
}

/** Runs in the background; its progress is polled like a comparison's. */
export function useRepairAll(id: string) {
  const { params, comparisonsKey } = useItem(id);
  return useMutation({
    mutationFn: (kind: DifferenceKind) => call(mendDifferences, { params, body: { kind } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: comparisonsKey }),
  });
}

/** Repairs or dismisses a discrepancy. */
export function useResolveDiscrepancy(id: string, differenceId: string) {
  const { params, differencesKey } = useItem(id);
  return useMutation({
    mutationFn: (how: 'mend' | 'dismiss') =>
      call(how === 'mend' ? mendDifference : dismissDifference, {
        params: { ...params, difference_id: differenceId },
      }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: differencesKey }),
  });
}
