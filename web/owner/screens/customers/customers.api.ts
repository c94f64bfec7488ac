import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
} from '@tanstack/react-query';
import { listCustomerEvidence } from '#contract/choices.ts';
import {
  countCustomers,
  type Customer,
  type CustomerDetails,
  type CustomerQuery,
  deleteCustomer,
  endLinks,
  getCustomer,
  getCustomerLists,
  listCustomers,
  mintLinks,
  setCustomerLists,
  updateCustomer,
} from '#contract/customers.ts';
import { listPendingChanges } from '#contract/pending-changes.ts';
import type { RouteResponse } from '#contract/route.ts';
import { call } from '../../api/call.ts';
import { useEvictOnLeave } from '../../api/evict-on-leave.ts';
import { queryClient } from '../../api/query-client.ts';
import type { PrefetchTarget } from '../../prefetch/prefetch.ts';
import { integrationsQuery } from '../../queries/integration-queries.ts';
import { listsQuery } from '../../queries/list-queries.ts';
import { useSite } from '../../site/current-site.tsx';
import { type SiteParams, siteParams } from '../../site/site-params.ts';
import { prefetchComplaintsOfCustomer } from '../complaints/complaints.api.ts';
import { type CustomerSearch, filterOf, parseCustomerSearch } from './customer-filter.logic.ts';
import { customerViewsQuery } from './customer-views.api.ts';

export const PAGE_SIZE = 50;

const searchKey = (site: SiteParams) => ['site', site.site_id, 'customers'];
const rowsKey = (site: SiteParams) => [...searchKey(site), 'rows'];
const customerKey = (site: SiteParams, id: string) => ['site', site.site_id, 'customer', id];

/** The query for the customers who match. Without a search there is nothing to match. */
export function queryOf({ search, ...filter }: CustomerSearch): CustomerQuery {
  return { ...filterOf(filter), ...(search === undefined ? {} : { search, match: 'anywhere' as const }) };
}

function customersQuery(site: SiteParams, search: CustomerSearch) {
  return infiniteQueryOptions({
    queryKey: [...rowsKey(site), queryOf(search)],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = {
        ...queryOf(search),
        limit: PAGE_SIZE,
        ...(pageParam === null ? {} : { cursor: pageParam }),
      };
      return call(listCustomers, { params: siteParams(site), query }, { signal });
    },
    getNextPageParam: (page) => page.next,
    staleTime: 0,
  });
}

/** Customers who match, newest first; with a search those whose address starts with it before the others. */
export function useCustomers(search: CustomerSearch) {
  return useInfiniteQuery({ ...customersQuery(useSite(), search), placeholderData: keepPreviousData });
}

function countQuery(site: SiteParams, search: CustomerSearch) {
  return queryOptions({
    queryKey: [...searchKey(site), 'count', queryOf(search)],
    queryFn: ({ signal }) =>
      call(countCustomers, { params: siteParams(site), query: queryOf(search) }, { signal }),
    staleTime: 0,
  });
}

export function useCustomerCount(search: CustomerSearch) {
  return useQuery({ ...countQuery(useSite(), search), placeholderData: keepPreviousData });
}

export function prefetchCustomers({ site, search }: PrefetchTarget): void {
  const wanted = parseCustomerSearch(search);
  void queryClient.prefetchInfiniteQuery(customersQuery(site, wanted));
  void queryClient.prefetchQuery(countQuery(site, wanted));
  void queryClient.prefetchQuery(customerViewsQuery(site));
  void queryClient.prefetchQuery(listsQuery(site));
  void queryClient.prefetchQuery(integrationsQuery(site));
}

/** Prefetched data counts as fresh until the card that shows it has mounted. */
const JUST_READ_MS = 2000;

function customerQuery(site: SiteParams, id: string) {
  return queryOptions({
    queryKey: [...customerKey(site, id), 'itself'],
    queryFn: ({ signal }) => call(getCustomer, { params: { ...siteParams(site), id } }, { signal }),
    staleTime: 0,
  });
}

/** Until the customer has loaded, their row in a list fills in for them. */
export function useCustomer(id: string) {
  const site = useSite();
  return useQuery({ ...customerQuery(site, id), placeholderData: () => listedBefore(site, id) });
}

/** From cached lists. Rows don't say why an email bounced, so a bounced customer has to load first. */
function listedBefore(site: SiteParams, id: string): CustomerDetails | undefined {
  const rows = queryClient
    .getQueriesData<InfiniteData<RouteResponse<typeof listCustomers>>>({ queryKey: rowsKey(site) })
    .flatMap(([, found]) => found?.pages ?? [])
    .flatMap(({ results }) => results);
  const row = rows.find((one) => one.id === id);
  return row?.email_bounced_at === null ? { ...row, email_bounce: null } : undefined;
}

function customerListsQuery(site: SiteParams, id: string) {
  return queryOptions({
    queryKey: [...customerKey(site, id), 'lists'],
    queryFn: async ({ signal }) => {
      const { results } = await call(getCustomerLists, { params: { ...siteParams(site), id } }, { signal });
      return results;
    },
    staleTime: JUST_READ_MS,
  });
}

export function useCustomerLists(id: string) {
  return useQuery(customerListsQuery(useSite(), id));
}

function timelineQuery(site: SiteParams, id: string) {
  return infiniteQueryOptions({
    queryKey: [...customerKey(site, id), 'evidence'],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      call(
        listCustomerEvidence,
        {
          params: { ...siteParams(site), id },
          query: { limit: 20, ...(pageParam === null ? {} : { cursor: pageParam }) },
        },
        { signal },
      ),
    getNextPageParam: (page) => page.next,
    staleTime: JUST_READ_MS,
  });
}

function pendingQuery(site: SiteParams, id: string) {
  return queryOptions({
    queryKey: [...customerKey(site, id), 'pending'],
    queryFn: async ({ signal }) => {
      const { results } = await call(listPendingChanges, { params: { ...siteParams(site), id } }, { signal });
      return results;
    },
    staleTime: JUST_READ_MS,
  });
}

export function usePendingChanges(id: string) {
  return useQuery(pendingQuery(useSite(), id));
}

export type Pending = NonNullable<ReturnType<typeof usePendingChanges>['data']>[number];

/** All choices of a customer, newest first. */
export function useTimeline(id: string) {
  return useInfiniteQuery(timelineQuery(useSite(), id));
}

export function prefetchCustomer(target: PrefetchTarget): void {
  const { site, id } = target;
  void queryClient.prefetchQuery(customerListsQuery(site, id));
  void queryClient.prefetchInfiniteQuery(timelineQuery(site, id));
  void queryClient.prefetchQuery(customerQuery(site, id));
  void queryClient.prefetchQuery(pendingQuery(site, id));
  prefetchComplaintsOfCustomer(target);
}

async function refresh(site: SiteParams, id: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: customerKey(site, id) }),
    queryClient.invalidateQueries({ queryKey: searchKey(site) }),
  ]);
}

export interface Wanted {
  notification_list_id: string;
  subscribed: boolean;
}

/** Shows the new state optimistically; choices are sent one by one, and failed ones rolled back. */
export function useSetList(id: string, onFailed: (error: unknown, wanted: Wanted) => void) {
  const site = useSite();
  const { queryKey } = customerListsQuery(site, id);
  const show = ({ notification_list_id, subscribed }: { [K in keyof Wanted]: Wanted[K] | null }) =>
    queryClient.setQueryData(queryKey, (lists) =>
      lists?.map((list) =>
        list.notification_list_id === notification_list_id ? { ...list, subscribed } : list,
      ),
    );
  return useMutation({
    mutationKey: ['set-list', id],
    scope: { id: `set-list-${id}` },
    mutationFn: (wanted: Wanted) =>
      call(setCustomerLists, { params: { ...siteParams(site), id }, body: [wanted] }),
    onMutate: async (wanted) => {
      await queryClient.cancelQueries({ queryKey });
      const lists = queryClient.getQueryData(queryKey);
      const before = lists?.find((one) => one.notification_list_id === wanted.notification_list_id);
      show(wanted);
      return before;
    },
    onError: (error, wanted, before) => {
      if (before) show(before);
      onFailed(error, wanted);
    },
    onSettled: async () => {
      // Refetching now would overwrite choices that are not sent yet.
      if (queryClient.isMutating({ mutationKey: ['set-list', id] }) === 1) await refresh(site, id);
    },
  });
}

/** Unsubscribes from everything, or resubscribes. */
export function useSetLeft(id: string) {
  const site = useSite();
  const { queryKey } = customerQuery(site, id);
  return useMutation({
    mutationFn: (hasLeft: boolean): Promise<Customer> =>
      call(updateCustomer, { params: { ...siteParams(site), id }, body: { global_unsubscribe: hasLeft } }),
    onMutate: async (hasLeft) => {
      await queryClient.cancelQueries({ queryKey });
      const before = queryClient.getQueryData(queryKey);
      queryClient.setQueryData(
        queryKey,
        (customer) => customer && { ...customer, global_unsubscribe: hasLeft, paused_until: null },
      );
      return before;
    },
    onError: (_error, _hasLeft, before) => queryClient.setQueryData(queryKey, before),
    onSettled: () => refresh(site, id),
  });
}

export function useMintLinks(id: string) {
  const site = useSite();
  return useMutation({
    gcTime: 0,
    mutationFn: () => call(mintLinks, { params: { ...siteParams(site), id }, body: {} }),
  });
}

/** Revokes all personal links; the customer then has the time. */
export function useEndLinks(id: string) {
  const site = useSite();
  return useMutation({
    mutationFn: () => call(endLinks, { params: { ...siteParams(site), id } }),
    onSuccess: (customer) =>
      queryClient.setQueryData(
        customerQuery(site, id).queryKey,
        (before) => before && { ...before, ...customer },
      ),
  });
}

/** Evicts an erased customer, so that they do not flash up and no query about them is refetched. */
export function useEraseCustomer(id: string) {
  const site = useSite();
  const queryKey = customerKey(site, id);
  const evict = useEvictOnLeave();
  return useMutation({
    mutationFn: async () => {
      await queryClient.cancelQueries({ queryKey });
      await call(deleteCustomer, { params: { ...siteParams(site), id } });
    },
    onSuccess: () => {
      evict(queryKey);
      queryClient.removeQueries({ queryKey: searchKey(site) });
    },
    onError: () => queryClient.invalidateQueries({ queryKey }),
  });
}
