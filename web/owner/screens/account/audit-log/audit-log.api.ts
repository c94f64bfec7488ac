import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type AuditNoun, listAuditActors, listAuditLog } from '#contract/audit-log.ts';
import { call } from '../../../api/call.ts';
import { useSite } from '../../../site/current-site.tsx';

export interface AuditFilter {
  noun?: AuditNoun | undefined;
  actor?: string | undefined;
}

const PAGE_SIZE = 50;

/** Newest first. */
export function useAuditLog({ noun, actor }: AuditFilter) {
  const { organization_id, site_id } = useSite();
  return useInfiniteQuery({
    queryKey: ['site', site_id, 'audit-log', { noun, actor }],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = {
        noun,
        actor_id: actor,
        limit: PAGE_SIZE,
        ...(pageParam === null ? {} : { cursor: pageParam }),
      };
      return call(listAuditLog, { params: { organization_id, site_id }, query }, { signal });
    },
    getNextPageParam: (page) => page.next,
    staleTime: 0,
  });
}

export function useAuditActors() {
  const { organization_id, site_id } = useSite();
  return useQuery({
    queryKey: ['site', site_id, 'audit-log-actors'],
    queryFn: async ({ signal }) => {
      const { results } = await call(listAuditActors, { params: { organization_id, site_id } }, { signal });
      return results;
    },
    staleTime: 0,
  });
}
