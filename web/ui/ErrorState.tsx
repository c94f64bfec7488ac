import { RotateCw, TriangleAlert } from 'lucide-react';
import { type ReactNode, useContext } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#contract/client.ts';
import { Button } from './Button.tsx';
import { InCard } from './Card.tsx';
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

/** Something could not be loaded: what happened, what to do, and the id to quote. In a card it needs little room. */
export function ErrorState({ error, title, text, onRetry, action }: ErrorStateProps) {
  const { t } = useTranslation('ui');
  const errorText = useErrorText();
  const isInCard = useContext(InCard);
  return (
    <section
      role="alert"
      className={
        isInCard
          ? 'grid grid-cols-[auto_minmax(0,1fr)] gap-x-3'
          : 'flex flex-col items-center rounded-lg border border-line bg-surface px-6 py-12 text-center'
      }
    >
      <TriangleAlert
        size={isInCard ? 18 : 24}
        aria-hidden
        className={`text-danger ${isInCard ? 'mt-px' : 'mb-3'}`}
      />
      <div className={isInCard ? 'flex flex-col items-start' : 'contents'}>
        <h2 className={`font-semibold ${isInCard ? '' : 'text-base'}`}>{title ?? t('failed_title')}</h2>
        <p className={`mt-1 max-w-md text-ink-muted ${isInCard ? 'text-pretty' : 'text-balance'}`}>
          {text ?? errorText(error)}
        </p>
        {(onRetry || action) && (
          <div className={`flex flex-wrap gap-2 ${isInCard ? 'mt-3' : 'mt-5 justify-center'}`}>
            {action}
            {onRetry && (
              <Button variant={isInCard ? 'secondary' : 'primary'} icon={<RotateCw />} onPress={onRetry}>
                {t('try_again')}
              </Button>
            )}
          </div>
        )}
        <RequestId error={error} />
      </div>
    </section>
  );
}

function RequestId({ error }: { error: unknown }) {
  const { t } = useTranslation('ui');
  const isInCard = useContext(InCard);
  const requestId = error instanceof ApiError ? error.requestId : null;
  if (!requestId) return null;
  return (
    <p
      className={`flex flex-wrap items-center gap-1 text-[13px] text-ink-muted ${isInCard ? 'mt-3' : 'mt-5 justify-center'}`}
    >
      {t('request_id')} <code className="font-mono break-all">{requestId}</code>
      <CopyButton value={requestId} label={t('copy_request_id')} />
    </p>
  );
}
