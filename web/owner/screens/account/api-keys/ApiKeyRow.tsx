import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiKey } from '#contract/api-keys.ts';
import { KEY_SCOPES } from '#contract/roles.ts';
import { Badge } from '#web/ui/Badge.tsx';
import { Button } from '#web/ui/Button.tsx';
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useDay, useNow } from '../../../components/RelativeTime.tsx';
import { useLanguage } from '../../../i18n/i18n.ts';
import { timeSince } from '../../../i18n/relative-time.ts';
import { useRevokeKey } from './api-keys.api.ts';
import { isRecentUse } from './api-keys.logic.ts';

export function ApiKeyRow({ apiKey }: { apiKey: ApiKey }) {
  const { t } = useTranslation('api-keys');
  const { name, scopes, created_by, created_by_email, created_at, last_used_at } = apiKey;
  const maker = [created_by, created_by_email && `(${created_by_email})`].filter(Boolean).join(' ');
  const day = useDay();
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-5 py-3">
      <div className="min-w-0 flex-1 basis-48">
        <p className="flex flex-wrap items-center gap-1.5 font-medium">
          <span className="min-w-0 wrap-anywhere">{name}</span>
          {KEY_SCOPES.filter((scope) => scopes.includes(scope)).map((scope) => (
            <Badge key={scope}>
              <code className="font-mono">{scope}</code>
            </Badge>
          ))}
          <Expiry apiKey={apiKey} />
        </p>
        <p className="text-[13px] wrap-anywhere text-ink-muted">
          {created_by === null
            ? t('made', { date: day(created_at) })
            : t('made_by', { name: maker, date: day(created_at) })}
          {' · '}
          {last_used_at === null ? t('unused') : <LastUse at={last_used_at} />}
        </p>
      </div>
      <RevokeButton apiKey={apiKey} />
    </li>
  );
}

/** Uses are recorded to the hour, so no minutes, and no exact time in a tooltip. */
function LastUse({ at }: { at: string }) {
  const { t } = useTranslation('api-keys');
  const language = useLanguage();
  const now = useNow();
  if (isRecentUse(at, now)) return t('used_recently');
  return `${t('last_use')} ${timeSince(at, now, language)}`;
}

function Expiry({ apiKey: { expires_at } }: { apiKey: ApiKey }) {
  const { t } = useTranslation('api-keys');
  const day = useDay();
  const now = useNow();
  if (expires_at === null) return null;
  return Date.parse(expires_at) <= now ? (
    <Badge tone="warning">{t('expired')}</Badge>
  ) : (
    <Badge tone="accent">{t('until', { date: day(expires_at) })}</Badge>
  );
}

function RevokeButton({ apiKey: { id, name } }: { apiKey: ApiKey }) {
  const { t } = useTranslation('api-keys');
  const revoke = useRevokeKey();
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <Button
        size="sm"
        variant="ghost"
        aria-label={t('revoke.of', { name })}
        onPress={() => setIsAsking(true)}
      >
        {t('revoke.open')}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onOpenChange={setIsAsking}
        title={t('revoke.title', { name })}
        description={t('revoke.text')}
        typedConfirmation={name}
        confirmLabel={t('revoke.open')}
        onConfirm={async () => {
          await revoke.mutateAsync(id);
          toast(t('revoke.done', { name }));
        }}
      />
    </>
  );
}
