import {
  infiniteQueryOptions,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
} from '@tanstack/react-query';
import {
  answerComplaint,
  type ComplaintOutcome,
  type ComplaintState,
  getComplaint,
  listComplaints,
} from '#contract/complaints.ts';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import type { PrefetchTarget } from '../../prefetch/prefetch.ts';
import { useSite } from '../../site/current-site.tsx';
import { type SiteParams, siteParams } from '../../site/site-params.ts';
import { complaintSearch } from './complaints.logic.ts';

const allKey = (site: SiteParams) => ['site', site.site_id, 'complaints'];

function complaintsQuery(site: SiteParams, state: ComplaintState) {
  return infiniteQueryOptions({
    queryKey: [...allKey(site), state],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      call(
        listComplaints,
        {
          params: siteParams(site),
          query: { state, ...(pageParam === null ? {} : { cursor: pageParam }) },
        },
        { signal },
      ),
    getNextPageParam: (page) => page.next,
    staleTime: 0,
  });
}

export function useComplaints(state: ComplaintState) {
  return useInfiniteQuery(complaintsQuery(useSite(), state));
}

export function prefetchComplaints({ site, search }: PrefetchTarget): void {
  void queryClient.prefetchInfiniteQuery(complaintsQuery(site, complaintSearch(search).state ?? 'open'));
}

function complaintQuery(site: SiteParams, id: string) {
  return queryOptions({
    queryKey: [...allKey(site), 'one', id],
    queryFn: ({ signal }) => call(getComplaint, { params: { ...siteParams(site), id } }, { signal }),
    staleTime: 0,
  });
}

export function useComplaint(id: string) {
  return useQuery(complaintQuery(useSite(), id));
}

function customersComplaintsQuery(site: SiteParams, customerId: string) {
  return queryOptions({
    queryKey: [...allKey(site), 'of', customerId],
    queryFn: async ({ signal }) => {
      const query = { customer_id: customerId };
      return (await call(listComplaints, { params: siteParams(site), query }, { signal })).results;
    },
    staleTime: 0,
  });
}

/** The newest complaints of a customer. */
export function useComplaintsOfCustomer(customerId: string) {
  return useQuery(customersComplaintsQuery(useSite(), customerId));
}

export function prefetchComplaintsOfCustomer({ site, id }: PrefetchTarget): void {
  void queryClient.prefetchQuery(customersComplaintsQuery(site, id));
}

export function prefetchComplaint({ site, id }: PrefetchTarget): void {
  void queryClient.prefetchQuery(complaintQuery(site, id));
}

/** Emails the answer and closes the complaint; after a failure, too, it is read again. */
export function useAnswerComplaint(id: string) {
  const site = useSite();
  return useMutation({
    mutationFn: (body: { outcome: ComplaintOutcome; answer: string }) =>
      call(answerComplaint, { params: { ...siteParams(site), id }, body }),
    onSuccess: (closed) => queryClient.setQueryData(complaintQuery(site, id).queryKey, closed),
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: allKey(site) }),
        queryClient.invalidateQueries({ queryKey: ['dashboard', site.site_id] }),
      ]),
  });
}
