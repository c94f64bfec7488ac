import { isAtLeast, type Role } from '#contract/roles.ts';
import { useAccount } from './account.ts';

/** The roles that what a viewer sees is restricted to: each of them, or a higher one. */
export type RestrictedTo = Exclude<Role, 'viewer' | 'owner'>;

/** The owner's role in the organization; null while it is not known. */
export function useRole(): Role | null {
  return useAccount().data?.role ?? null;
}

/**
 * Whether the owner has this role or a higher one. What they may not do is not offered. If the account failed to load,
 * everything is: the server checks permissions itself.
 */
export function usePermission(needs: Role): boolean {
  const account = useAccount();
  const role = account.data?.role ?? null;
  return role === null ? account.isError : isAtLeast(role, needs);
}
