import { useMutation, useQuery } from '@tanstack/react-query';
import {
  deleteAccount as deleteAccountRoute,
  endOtherSessions,
  endSession,
  exportAccount,
  listSessions,
  planDeletion,
  removeAvatar,
  uploadAvatar,
} from '#contract/account-data.ts';
import { cancelEmailChange, changeEmail } from '#contract/account-links.ts';
import { type Account, logIn, resetPassword } from '#contract/accounts.ts';
import { unlinkGoogle } from '#contract/google-sign-in.ts';
import { accountQuery } from '../../account/account.ts';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { downloadJson } from '../../files/download.ts';
import { storeTokens } from '../../session/session.ts';
import { AS_THIS_BROWSER } from '../auth/auth.api.ts';

/** Changing the password ends all sessions of the account, so this one is reopened. */
export async function changePassword(
  username: string,
  passwords: { current_password: string; password: string },
): Promise<void> {
  await call(resetPassword, { body: passwords });
  const body = { username, password: passwords.password };
  storeTokens(await call(logIn, { body }, AS_THIS_BROWSER));
  await queryClient.invalidateQueries({ queryKey: ['sessions'] });
}

function cacheAccount(account: Account): void {
  queryClient.setQueryData(accountQuery(account.id).queryKey, account);
}

export async function uploadAvatarOf(id: string, file: File): Promise<void> {
  cacheAccount(await call(uploadAvatar, { params: { id }, file }));
}

export async function removeAvatarOf(id: string): Promise<void> {
  cacheAccount(await call(removeAvatar, { params: { id } }));
}

export async function requestEmailChange(
  id: string,
  body: { email: string; current_password?: string },
): Promise<void> {
  cacheAccount(await call(changeEmail, { params: { id }, body }));
}

export async function withdrawEmail(id: string): Promise<void> {
  cacheAccount(await call(cancelEmailChange, { params: { id } }));
}

export async function unlinkGoogleOf(id: string): Promise<void> {
  cacheAccount(await call(unlinkGoogle, { params: { id } }));
}

const sessionsKey = (id: string) => ['sessions', id];

export function useSessions(id: string) {
  return useQuery({
    queryKey: sessionsKey(id),
    queryFn: async ({ signal }) => {
      const { results } = await call(listSessions, { params: { id } }, { signal });
      return results;
    },
  });
}

/** Ends one session, or (null) all but this one. */
export function useEndSession(id: string) {
  return useMutation({
    mutationFn: (sessionId: string | null) =>
      sessionId === null
        ? call(endOtherSessions, { params: { id } })
        : call(endSession, { params: { id, session_id: sessionId } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: sessionsKey(id) }),
  });
}

export const EXPORT_FILE = 'sayso-account.json';

export function useAccountExport(id: string) {
  return useMutation({
    mutationFn: () => call(exportAccount, { params: { id } }),
    onSuccess: (data) => downloadJson(EXPORT_FILE, data),
  });
}

export function useDeletionPlan(id: string) {
  return useQuery({
    queryKey: ['deletion-plan', id],
    queryFn: ({ signal }) => call(planDeletion, { params: { id } }, { signal }),
    staleTime: 0,
  });
}

export function deleteAccountOf(id: string, typed: { username: string; password?: string }): Promise<null> {
  return call(deleteAccountRoute, { params: { id }, body: typed });
}
