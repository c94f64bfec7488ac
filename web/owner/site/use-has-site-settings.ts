import { isAtLeast } from '#contract/roles.ts';
import { useRole } from '../account/permissions.ts';
import { useSite } from './current-site.tsx';

/** Whether the site's settings show anything: to people below an admin only the state of an own domain. */
export function useHasSiteSettings(): boolean {
  const role = useRole();
  const { site } = useSite();
  return role === null || isAtLeast(role, 'admin') || site.custom_domain !== null;
}
