import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type DashboardRange, getLeaveJudgements } from '#contract/dashboard.ts';
import { call } from '../../api/call.ts';
import { useSite } from '../../site/current-site.tsx';

/** Judging costs more than counting, so it isn't repeated with the figures. */
const STALE_MS = 60_000;

/** Who likely made the leaves of the range, and gave its reasons. */
export function useLeaveJudgements(range: DashboardRange) {
  const { organization_id, site_id } = useSite();
  return useQuery({
    queryKey: ['dashboard', site_id, 'leaves', range],
    queryFn: ({ signal }) =>
      call(getLeaveJudgements, { params: { organization_id, site_id }, query: { range } }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: STALE_MS,
  });
}
