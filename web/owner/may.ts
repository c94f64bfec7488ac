import { isAtLeast, type Role } from '#contract/roles.ts';
import { useAccount } from './account.ts';

/** What the owner is in the organization; null while it is not known. */
export function useRole(): Role | null {
  return useAccount().data?.role ?? null;
}

/**
 * May the owner do what needs this role? What they may not do is not offered. Where the account could not be loaded,
 * everything is: the server refuses by itself.
 */
export function useMay(needs: Role): boolean {
  const account = useAccount();
  const role = account.data?.role ?? null;
  return role === null ? account.isError : isAtLeast(role, needs);
}
