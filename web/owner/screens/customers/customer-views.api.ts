import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import {
  createCustomerView,
  deleteCustomerView,
  listCustomerViews,
  updateCustomerView,
} from '#contract/customer-views.ts';
import type { CustomerFilter } from '#contract/customers.ts';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { useSite } from '../../site/current-site.tsx';
import { type SiteParams, siteParams } from '../../site/site-params.ts';

export function customerViewsQuery(site: SiteParams) {
  return queryOptions({
    queryKey: ['site', site.site_id, 'customer-views'],
    queryFn: async ({ signal }) =>
      (await call(listCustomerViews, { params: siteParams(site) }, { signal })).results,
  });
}

export function useCustomerViews() {
  return useQuery(customerViewsQuery(useSite()));
}

/** Creates a view, or renames the one with this id. */
export function useSaveView() {
  const site = useSite();
  return useMutation({
    mutationFn: ({ id, name, filter }: { id: string | null; name: string; filter: CustomerFilter }) =>
      id === null
        ? call(createCustomerView, { params: siteParams(site), body: { name, filter } })
        : call(updateCustomerView, { params: { ...siteParams(site), id }, body: { name } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: customerViewsQuery(site).queryKey }),
  });
}

export async function deleteView(site: SiteParams, id: string): Promise<void> {
  await call(deleteCustomerView, { params: { ...siteParams(site), id } });
  queryClient.setQueryData(customerViewsQuery(site).queryKey, (views) =>
    views?.filter((view) => view.id !== id),
  );
}
