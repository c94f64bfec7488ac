import { usePermission } from '../account/permissions.ts';
import { useSite } from './current-site.tsx';

/** Whether there is a setting of the site that the owner may look at: below an admin, only its own domain. */
export function useHasSiteSettings(): boolean {
  const isAdmin = usePermission('admin');
  return useSite().site.custom_domain !== null || isAdmin;
}
