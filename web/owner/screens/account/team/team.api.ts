import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import {
  changeMember,
  inviteMember,
  leaveOrganization,
  listMembers,
  removeMember,
  resendInvitation,
  withdrawInvitation as withdrawInvitationRoute,
} from '#contract/members.ts';
import type { Role } from '#contract/roles.ts';
import { call } from '../../../api/call.ts';
import { queryClient } from '../../../api/query-client.ts';
import { useSite } from '../../../site/current-site.tsx';
import { type SiteParams, siteParams } from '../../../site/site-params.ts';

function teamQuery(site: SiteParams) {
  return queryOptions({
    queryKey: ['organization', site.organization_id, 'team'],
    queryFn: ({ signal }) => call(listMembers, { params: siteParams(site) }, { signal }),
  });
}

export function useTeam() {
  return useQuery(teamQuery(useSite()));
}

function useChange<Input, Answer>(change: (site: SiteParams, input: Input) => Promise<Answer>) {
  const site = useSite();
  return useMutation({
    // An answer may have an invitation's link, which is stored nowhere.
    gcTime: 0,
    mutationFn: (input: Input) => change(site, input),
    // Also after a failure: somebody else may have changed the team.
    onSettled: () => queryClient.invalidateQueries(teamQuery(site)),
  });
}

export function useInvite() {
  return useChange((site, body: { email: string; role: Role }) =>
    call(inviteMember, { params: siteParams(site), body }),
  );
}

export function useResend() {
  return useChange((site, id: string) => call(resendInvitation, { params: { ...siteParams(site), id } }));
}

export function useSetRole() {
  return useChange((site, { id, role }: { id: string; role: Role }) =>
    call(changeMember, { params: { ...siteParams(site), id }, body: { role } }),
  );
}

export function useRemoveMember() {
  return useChange((site, { id, apiKeys }: { id: string; apiKeys: 'revoke' | 'keep' }) =>
    call(removeMember, { params: { ...siteParams(site), id }, query: { api_keys: apiKeys } }),
  );
}

export async function withdrawInvitation(site: SiteParams, id: string): Promise<void> {
  await call(withdrawInvitationRoute, { params: { ...siteParams(site), id } });
  await queryClient.invalidateQueries(teamQuery(site));
}

export async function leave(site: SiteParams): Promise<void> {
  await call(leaveOrganization, { params: siteParams(site) });
}
