import { Eye } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { type RestrictedTo, usePermission } from '../account/permissions.ts';

/** Explains why nothing can be changed here; renders nothing for people who have the role. */
export function ReadOnlyNotice({ needs }: { needs: RestrictedTo }) {
  const { t } = useTranslation('ui');
  if (usePermission(needs)) return null;
  return (
    <p className="mb-5 flex items-start gap-2 text-ink-muted">
      <Eye size={16} aria-hidden className="mt-0.5 shrink-0" />
      <span className="text-balance">{t(`look_only.${needs}`)}</span>
    </p>
  );
}
