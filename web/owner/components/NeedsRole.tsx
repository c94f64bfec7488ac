import { Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { type RestrictedTo, usePermission, useRole } from '../account/permissions.ts';

/** Replaces a screen that would be empty without its form; renders nothing for people who have the role. */
export function NeedsRole({ needs, action }: { needs: RestrictedTo; action?: ReactNode }) {
  const { t } = useTranslation('ui');
  const role = useRole();
  const may = usePermission(needs);
  // Nothing flashes before the role is known.
  if (may || role === null) return null;
  return (
    <EmptyState
      icon={<Lock />}
      title={t(`other_role.${needs}`)}
      text={t(`do_for_you.${needs}`)}
      action={action}
    />
  );
}
