import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { applyProposals, getProposals } from '#contract/proposals.ts';
import type { RouteCall, RouteResponse } from '#contract/route.ts';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { useLanguage } from '../../i18n/i18n.ts';
import { integrationKey } from '../../queries/integration-queries.ts';
import { useSite } from '../../site/current-site.tsx';
import { type SiteParams, siteParams } from '../../site/site-params.ts';

type Applied = RouteCall<typeof applyProposals>['body'];
export type Creation = Applied['create'];
export type Created = RouteResponse<typeof applyProposals>;

/** The tool is read for it, so that it is not asked again at once. */
const FRESH_MS = 5 * 60_000;

function proposalsQuery(site: SiteParams, id: string, language: ReturnType<typeof useLanguage>) {
  return queryOptions({
    queryKey: [...integrationKey(site.site_id, id), 'proposals', language],
    queryFn: ({ signal }) =>
      call(getProposals, { params: { ...siteParams(site), id }, query: { language } }, { signal }),
    staleTime: FRESH_MS,
    retry: false,
    refetchOnWindowFocus: false,
  });
}

/** What could be created for a tool. */
export function useProposals(id: string, { isWanted = true }: { isWanted?: boolean } = {}) {
  return useQuery({ ...proposalsQuery(useSite(), id, useLanguage()), enabled: isWanted });
}

/** Creates what is ticked; lists, pages and actions are then read again. */
export function useApplyProposals(id: string) {
  const site = useSite();
  const language = useLanguage();
  return useMutation({
    mutationFn: (applied: Pick<Applied, 'create' | 'links' | 'override'>) =>
      call(applyProposals, { params: { ...siteParams(site), id }, body: { language, ...applied } }),
    // Not awaited: the tool is read again, too.
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: ['site', site.site_id] }),
  });
}
