import { CircleAlert } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { FormError } from '#web/ui/FormError.tsx';
import { hasErrorCode } from '../api/error-codes.ts';

/** Why a call to the tool failed; renders nothing while `error` is null. */
export function ToolError({ error, tool }: { error: unknown; tool: string }) {
  const { t } = useTranslation('integrations');
  if (!hasErrorCode(error, 'unavailable')) return <FormError error={error} />;
  return (
    <p role="alert" className="flex gap-2 rounded-lg bg-danger-soft px-3 py-2 text-danger">
      <CircleAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
      {t('error.no_answer', { tool })}
    </p>
  );
}
