import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import {
  createList,
  deleteList as deleteListRoute,
  getList,
  type List,
  type ListFields,
  orderLists,
  updateList,
} from '#contract/lists.ts';
import type { Override } from '#contract/page-checks.ts';
import { getListFigures } from '#contract/dashboard.ts';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { anyIntegrationKey } from '../../queries/integration-queries.ts';
import { listsQuery } from '../../queries/list-queries.ts';
import { useSite } from '../../site/current-site.tsx';
import type { SiteParams } from '../../site/site-params.ts';
import type { PrefetchTarget } from '../../prefetch/prefetch.ts';
import { changedFieldsOf, inOrder, listFieldsOf, listFormOf } from './lists.logic.ts';

/** One list, fetched each time the editor opens: a page's editor may have changed it. */
export function listQuery({ organization_id, site_id }: SiteParams, id: string) {
  return queryOptions({
    queryKey: ['site', site_id, 'list', id],
    queryFn: ({ signal }) => call(getList, { params: { organization_id, site_id, id } }, { signal }),
    staleTime: 0,
    gcTime: 0,
  });
}

function listFiguresQuery({ organization_id, site_id }: SiteParams) {
  return queryOptions({
    queryKey: ['site', site_id, 'list-figures'],
    queryFn: async ({ signal }) => {
      const { results } = await call(getListFigures, { params: { organization_id, site_id } }, { signal });
      return new Map(results.map((figures) => [figures.list_id, figures]));
    },
    staleTime: 0,
  });
}

/** Subscribers, joins, leaves and actions of all lists, in one call. */
export function useListFigures() {
  return useQuery(listFiguresQuery(useSite()));
}

export function prefetchLists({ site }: PrefetchTarget): void {
  void queryClient.prefetchQuery(listsQuery(site));
  void queryClient.prefetchQuery(listFiguresQuery(site));
}

interface ListToSave {
  fields: ListFields;
  /** Why it is saved although checks of pages fail. */
  override?: Override | undefined;
}

/**
 * Saves a new list (`known` missing), or sends what was changed of one, unless somebody else has changed it since.
 */
export function useSaveList(known?: List) {
  const site = useSite();
  const { organization_id, site_id } = site;
  return useMutation({
    mutationFn: ({ fields, override }: ListToSave): Promise<List> =>
      known === undefined
        ? call(createList, { params: { organization_id, site_id }, body: fields })
        : call(updateList, {
            params: { organization_id, site_id, id: known.id },
            body: {
              ...changedFieldsOf(listFieldsOf(listFormOf(known)), fields),
              ...(override === undefined ? {} : { override }),
              updated_at: known.updated_at,
            },
          }),
    onSuccess: () => {
      // What is proposed for a tool follows the lists. Not awaited: the tool may be read for it.
      void queryClient.invalidateQueries({ queryKey: anyIntegrationKey(site_id) });
      return queryClient.invalidateQueries({ queryKey: listsQuery(site).queryKey });
    },
  });
}

/** Shows the new order optimistically; rolls back on failure. */
export function useOrderLists(onFailed: (error: unknown) => void) {
  const site = useSite();
  const { organization_id, site_id } = site;
  const { queryKey } = listsQuery(site);
  return useMutation({
    scope: { id: `order-lists-${site_id}` },
    mutationFn: (ids: string[]) => call(orderLists, { params: { organization_id, site_id }, body: { ids } }),
    onMutate: async (ids) => {
      await queryClient.cancelQueries({ queryKey });
      const before = queryClient.getQueryData(queryKey);
      queryClient.setQueryData(queryKey, (lists) => lists && inOrder(lists, ids));
      return before;
    },
    onError: (error, _ids, before) => {
      queryClient.setQueryData(queryKey, before);
      onFailed(error);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey }),
  });
}

export async function deleteList({ organization_id, site_id }: SiteParams, id: string): Promise<void> {
  await call(deleteListRoute, { params: { organization_id, site_id, id } });
  const site = { organization_id, site_id };
  queryClient.setQueryData(listsQuery(site).queryKey, (lists) => lists?.filter((list) => list.id !== id));
  await queryClient.invalidateQueries({ queryKey: ['site', site_id] });
}
