import { queryClient } from '../api/query-client.ts';

/** The prefix of every query about the site's deliveries. */
export function deliveriesKey(siteId: string) {
  return ['site', siteId, 'deliveries'];
}

export function refreshDeliveries(siteId: string): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: deliveriesKey(siteId) });
}
