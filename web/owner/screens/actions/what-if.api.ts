import { useMutation, useQuery } from '@tanstack/react-query';
import { previewChoice } from '#contract/choice-previews.ts';
import { getCustomer, getCustomerLists } from '#contract/customers.ts';
import type { RouteCall } from '#contract/route.ts';
import { call } from '../../api/call.ts';
import { useSite } from '../../site/current-site.tsx';
import { siteParams } from '../../site/site-params.ts';

type PreviewBody = RouteCall<typeof previewChoice>['body'];

/** A mutation although nothing is stored: each preview reads the tools, and is asked for. */
export function useChoicePreview() {
  const site = useSite();
  return useMutation({
    mutationFn: (body: PreviewBody) => call(previewChoice, { params: siteParams(site), body }),
  });
}

/** The customer whom the URL names. */
export function useNamedCustomer(id: string | undefined) {
  const site = useSite();
  return useQuery({
    queryKey: ['site', site.site_id, 'what-if', 'customer', id],
    enabled: id !== undefined,
    queryFn: ({ signal }) => call(getCustomer, { params: { ...siteParams(site), id: id ?? '' } }, { signal }),
  });
}

/** What the customer has chosen of each list. */
export function useListsOfCustomer(id: string | null) {
  const site = useSite();
  return useQuery({
    queryKey: ['site', site.site_id, 'what-if', 'lists', id],
    enabled: id !== null,
    staleTime: 0,
    queryFn: async ({ signal }) => {
      const params = { ...siteParams(site), id: id ?? '' };
      return (await call(getCustomerLists, { params }, { signal })).results;
    },
  });
}
