import { useInfiniteQuery } from '@tanstack/react-query';
import { type Evidence, type LeaveReason, listEvidence, type MOVES } from '#contract/choices.ts';
import { call } from '../../api.ts';
import { useSite } from '../../site.tsx';

export interface EvidenceFilter {
  since?: Evidence['occurred_at'] | undefined;
  move?: (typeof MOVES)[number] | undefined;
  list_id?: string | undefined;
  reason?: LeaveReason | undefined;
}

const PAGE_SIZE = 25;

/** What everybody chose, newest first. */
export function useChoices(filter: EvidenceFilter) {
  const { organization_id, site_id } = useSite();
  return useInfiniteQuery({
    queryKey: ['site', site_id, 'choices', filter],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { ...filter, limit: PAGE_SIZE, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return call(listEvidence, { params: { organization_id, site_id }, query }, { signal });
    },
    getNextPageParam: (page) => page.next,
    staleTime: 0,
  });
}
