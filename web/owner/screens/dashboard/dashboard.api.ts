import { useQuery } from '@tanstack/react-query';
import { listActions } from '#contract/actions.ts';
import { listEvidence } from '#contract/choices.ts';
import { listDeliveries } from '#contract/deliveries.ts';
import { listLists } from '#contract/lists.ts';
import { listPreferencePages } from '#contract/preference-pages.ts';
import { call } from '../../api.ts';
import { useSite } from '../../site.tsx';
import { DELIVERIES_SHOWN } from './deliveries-summary.logic.ts';

/** What the checklist ticks itself by. */
export function useOnboardingFacts() {
  const { organization_id, site_id } = useSite();
  const params = { organization_id, site_id };
  return useQuery({
    queryKey: ['dashboard', site_id, 'onboarding'],
    queryFn: async ({ signal }) => {
      const [lists, pages, actions, evidence] = await Promise.all([
        call(listLists, { params }, { signal }),
        call(listPreferencePages, { params }, { signal }),
        call(listActions, { params }, { signal }),
        call(listEvidence, { params, query: { limit: 1 } }, { signal }),
      ]);
      return {
        lists: lists.results.length,
        pages: pages.results.length,
        actions: actions.results.length,
        hasChoice: evidence.results.length > 0,
        firstPageUrl: pages.results[0]?.url ?? null,
      };
    },
    staleTime: 0,
  });
}

export function useRecentDeliveries() {
  const { organization_id, site_id } = useSite();
  return useQuery({
    queryKey: ['dashboard', site_id, 'deliveries'],
    queryFn: async ({ signal }) => {
      const { results } = await call(
        listDeliveries,
        { params: { organization_id, site_id }, query: { limit: DELIVERIES_SHOWN } },
        { signal },
      );
      return results;
    },
    staleTime: 0,
  });
}
