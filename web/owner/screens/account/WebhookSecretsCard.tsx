import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Action } from '#contract/actions.ts';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { ActionTypeIcon } from '../../components/action-icons.tsx';
import { useSite } from '../../site/current-site.tsx';
import { useActions } from '../../queries/action-queries.ts';
import { RotateDialog } from '../actions/RotateDialog.tsx';
import { type FreshSecret, SecretDialog } from '../actions/SecretDialog.tsx';

/** Actions with signed messages, each with its own secret. */
const isSigned = ({ type }: Action) => type === 'webhook' || type === 'evidence';

export function WebhookSecretsCard() {
  const { t } = useTranslation('settings');
  const { site } = useSite();
  const actions = useActions();
  const [rotating, setRotating] = useState<Action | null>(null);
  const [secret, setSecret] = useState<FreshSecret | null>(null);
  const signed = actions.data?.filter(isSigned) ?? [];
  return (
    <>
      <Card
        title={t('secrets.title')}
        description={t('secrets.description', { site: site.name })}
        isPadded={false}
      >
        {actions.isPending && (
          <div className="p-5">
            <Skeleton shape="text" count={3} />
          </div>
        )}
        {actions.isLoadingError && (
          <div className="p-5">
            <ErrorState error={actions.error} onRetry={() => void actions.refetch()} />
          </div>
        )}
        {actions.data && signed.length === 0 && (
          <div className="flex flex-col items-start gap-3 p-5">
            <p className="text-ink-muted">{t('secrets.empty')}</p>
            <LinkButton to="/actions">{t('secrets.to_actions')}</LinkButton>
          </div>
        )}
        {signed.length > 0 && (
          <ul className="divide-y divide-line">
            {signed.map((action) => (
              <li key={action.id} className="flex items-center gap-4 px-5 py-3">
                <span className="shrink-0 text-ink-muted">
                  <ActionTypeIcon type={action.type} />
                </span>
                <div className="min-w-0 flex-1">
                  <p className="font-medium break-words">{action.name}</p>
                  <p className="truncate text-[13px] text-ink-muted">{addressOf(action)}</p>
                </div>
                <Button
                  size="sm"
                  icon={<KeyRound />}
                  aria-label={t('secrets.rotate_of', { name: action.name })}
                  onPress={() => setRotating(action)}
                >
                  {t('secrets.rotate')}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Card>
      {rotating !== null && (
        <RotateDialog action={rotating} onClose={() => setRotating(null)} onSecret={setSecret} />
      )}
      {secret !== null && <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </>
  );
}

function addressOf({ target }: Action): string {
  const { url, email } = target as { url?: unknown; email?: unknown };
  if (typeof url === 'string') return url;
  return typeof email === 'string' ? email : '';
}
