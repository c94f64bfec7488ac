import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { listCustomers } from '#contract/customers.ts';
import { call } from '../api/call.ts';
import { type SiteParams, siteParams } from '../site/site-params.ts';

/** The first customers whose address has this text anywhere. Those found before stay until the answer comes. */
export function customerSearchQuery(site: SiteParams, search: string, limit: number) {
  return queryOptions({
    queryKey: ['site', site.site_id, 'customer-search', search, limit],
    queryFn: ({ signal }) => {
      const query = { search, match: 'anywhere' as const, limit };
      return call(listCustomers, { params: siteParams(site), query }, { signal });
    },
    placeholderData: keepPreviousData,
  });
}
