import { useQuery } from '@tanstack/react-query';
import { signUp } from '#contract/accounts.ts';
import { callRoute } from '#contract/client.ts';
import { acceptInvitation, readInvitation } from '#contract/members.ts';
import type { RouteCall } from '#contract/route.ts';
import { call } from '../../api/call.ts';
import { AS_THIS_BROWSER } from '../auth/auth.api.ts';
import { storeOrganization, storeTokens } from '../../session/session.ts';

/** Stores the server's response, so that the app knows the new membership. */
export type Enter = () => void;

/** @param isOpen false once the invitation is used: reading it again would be refused */
export function useOffer(token: string, isOpen: boolean) {
  return useQuery({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => call(readInvitation, { body: { token } }, { signal }),
    enabled: isOpen,
    staleTime: 0,
    gcTime: 0,
  });
}

/** @param as the own address, stated explicitly if a different one was invited */
export async function accept(token: string, as?: string): Promise<Enter> {
  const body = { token, ...(as === undefined ? {} : { as }) };
  const { organization_id } = await call(acceptInvitation, { body });
  return () => storeOrganization(organization_id);
}

/** Signs up and accepts. If only the account was created, its owner is logged in and can accept again. */
export async function signUpAndAccept(token: string, body: RouteCall<typeof signUp>['body']): Promise<Enter> {
  const account = await callRoute(signUp, { body }, AS_THIS_BROWSER);
  const headers = { authorization: `Bearer ${account.access_token}` };
  try {
    const { organization_id } = await callRoute(acceptInvitation, { body: { token } }, { headers });
    return () => void storeTokens({ ...account, organization_id });
  } catch (error) {
    storeTokens(account);
    throw error;
  }
}
