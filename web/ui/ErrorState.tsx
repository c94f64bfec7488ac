import { RotateCw, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#contract/client.ts';
import { Button } from './Button.tsx';
import { CopyButton } from './CopyButton.tsx';
import { useErrorText } from './error-text.ts';

export interface ErrorStateProps {
  error: unknown;
  /** What did not work, where it is not a loading. */
  title?: string;
  /** In place of the error's own sentence. */
  text?: string;
  onRetry?: () => void;
  /** Another way on. */
  action?: ReactNode;
}

/** Something could not be loaded: what happened, what to do, and the id to quote. */
export function ErrorState({ error, title, text, onRetry, action }: ErrorStateProps) {
  const { t } = useTranslation('ui');
  const errorText = useErrorText();
  const requestId = error instanceof ApiError ? error.requestId : null;
  return (
    <section
      role="alert"
      className="flex flex-col items-center rounded-lg border border-line bg-surface px-6 py-12 text-center"
    >
      <TriangleAlert size={24} aria-hidden className="mb-3 text-danger" />
      <h2 className="text-base font-semibold">{title ?? t('failed_title')}</h2>
      <p className="mt-1 max-w-md text-balance text-ink-muted">{text ?? errorText(error)}</p>
      {(onRetry || action) && (
        <div className="mt-5 flex flex-wrap justify-center gap-2">
          {action}
          {onRetry && (
            <Button variant="primary" icon={<RotateCw />} onPress={onRetry}>
              {t('try_again')}
            </Button>
          )}
        </div>
      )}
      {requestId && (
        <p className="mt-5 flex flex-wrap items-center justify-center gap-1 text-[13px] text-ink-muted">
          {t('request_id')} <code className="font-mono break-all">{requestId}</code>
          <CopyButton value={requestId} label={t('copy_request_id')} />
        </p>
      )}
    </section>
  );
}
