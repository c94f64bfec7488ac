import { queryOptions, useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import {
  type BulkChange,
  getBulkChange,
  listBulkChanges,
  listUndoneCustomers,
  previewUndo,
  startUndo,
  type UndoVerdict,
} from '#contract/bulk-changes.ts';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { useSite } from '../../site/current-site.tsx';
import { type SiteParams, siteParams } from '../../site/site-params.ts';
import { isWorking } from './bulk-changes.logic.ts';

const REFRESH_MS = 1500;

type ItemParams = SiteParams & { id: string };

const listKey = (site: SiteParams) => ['site', site.site_id, 'bulk-changes'];

/** The bulk changes of the last 30 days, newest first; polls while one of them is running or being undone. */
export function useBulkChanges() {
  const site = useSite();
  return useQuery({
    queryKey: listKey(site),
    queryFn: async ({ signal }) =>
      (await call(listBulkChanges, { params: siteParams(site) }, { signal })).results,
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data?.some((one) => one.is_running || isWorking(one)) ? 4 * REFRESH_MS : false,
  });
}

function bulkChangeQuery(site: SiteParams, id: string) {
  return queryOptions({
    queryKey: ['site', site.site_id, 'bulk-change', id],
    queryFn: ({ signal }) => call(getBulkChange, { params: { ...siteParams(site), id } }, { signal }),
    staleTime: 0,
  });
}

export function useBulkChange(id: string) {
  return useQuery({
    ...bulkChangeQuery(useSite(), id),
    refetchInterval: ({ state }) =>
      state.data && (state.data.is_running || isWorking(state.data)) ? REFRESH_MS : false,
  });
}

function useStep<Given = void>(id: string, step: (params: ItemParams, given: Given) => Promise<BulkChange>) {
  const site = useSite();
  const { queryKey } = bulkChangeQuery(site, id);
  return useMutation({
    mutationFn: (given: Given) => step({ ...siteParams(site), id }, given),
    onSuccess: async (answer) => {
      await queryClient.cancelQueries({ queryKey });
      queryClient.removeQueries({ queryKey: customersKey(site, id) });
      queryClient.setQueryData(queryKey, answer);
      void queryClient.invalidateQueries({ queryKey: listKey(site) });
    },
    // Somebody else may have started it.
    onError: () => queryClient.invalidateQueries({ queryKey }),
  });
}

export const usePreviewUndo = (id: string) => useStep(id, (params) => call(previewUndo, { params }));

export const useStartUndo = (id: string) =>
  useStep<{ unsubscribes: number }>(id, (params, body) => call(startUndo, { params, body }));

const customersKey = (site: SiteParams, id: string) => ['site', site.site_id, 'undone-customers', id];

/** @param state preview and result have different verdicts */
export function useUndoneCustomers(id: string, state: string, verdict: UndoVerdict) {
  const site = useSite();
  return useInfiniteQuery({
    queryKey: [...customersKey(site, id), state, verdict],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      call(
        listUndoneCustomers,
        {
          params: { ...siteParams(site), id },
          query: { verdict, ...(pageParam === null ? {} : { cursor: pageParam }) },
        },
        { signal },
      ),
    getNextPageParam: (page) => page.next,
  });
}
