import { queryOptions, useQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import { type Account, getAccount, updateAccount as updateAccountRoute } from '#contract/accounts.ts';
import { call } from '../api/call.ts';
import { queryClient } from '../api/query-client.ts';
import { useSession } from '../session/session.ts';

export type AccountChanges = z.input<typeof updateAccountRoute.body>;

export function accountQuery(id: string) {
  return queryOptions({
    queryKey: ['account', id],
    queryFn: ({ signal }) => call(getAccount, { params: { id } }, { signal }),
    staleTime: 60_000,
  });
}

export function useAccount() {
  const session = useSession();
  return useQuery({ ...accountQuery(session?.id ?? ''), enabled: session !== null });
}

/** Updates the account, and its cache entry. */
export async function updateAccount(id: string | undefined, changes: AccountChanges): Promise<Account> {
  if (!id) throw new Error('Unable to update account: No ID provided');
  const account = await call(updateAccountRoute, { params: { id }, body: changes });
  queryClient.setQueryData(accountQuery(id).queryKey, account);
  return account;
}
