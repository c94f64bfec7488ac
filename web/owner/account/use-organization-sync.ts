import { useEffect } from 'react';
import type { Account } from '#contract/accounts.ts';
import { storeOrganization } from '../session/session.ts';

/** Takes the account's organization into the session: the survey may have been finished in another browser. */
export function useOrganizationSync(account: Account | undefined): void {
  useEffect(() => {
    if (account) storeOrganization(account.organization);
  }, [account]);
}
