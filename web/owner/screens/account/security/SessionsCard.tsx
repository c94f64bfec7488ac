import { Monitor, Smartphone } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Session } from '#contract/account-data.ts';
import { Badge } from '#web/ui/Badge.tsx';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { useErrorText } from '#web/ui/error-text.ts';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useDay, RelativeTime } from '../../../components/RelativeTime.tsx';
import { useEndSession, useSessions } from '../account.api.ts';
import type { SectionProps } from '../section-props.ts';
import { BROWSER_NAMES, SYSTEM_NAMES } from '#contract/device-names.ts';

/** Where the account is logged in. */
export function SessionsCard({ account: { id } }: SectionProps) {
  const { t } = useTranslation('settings');
  const sessions = useSessions(id);
  const others = sessions.data?.filter((session) => !session.is_current) ?? [];
  return (
    <Card
      title={t('sessions.title')}
      description={t('sessions.description')}
      isPadded={false}
      footer={others.length > 0 && <EndButton accountId={id} session={null} />}
    >
      {sessions.isPending && (
        <div className="p-5">
          <Skeleton shape="text" count={3} />
        </div>
      )}
      {sessions.isLoadingError && (
        <div className="p-5">
          <ErrorState error={sessions.error} onRetry={() => void sessions.refetch()} />
        </div>
      )}
      {sessions.data && (
        <ul className="divide-y divide-line">
          {sessions.data.map((session) => (
            <SessionRow key={session.id} accountId={id} session={session} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function useDeviceName(): (session: Session) => string {
  const { t } = useTranslation('settings');
  return ({ browser, system }) => {
    const known = [browser && BROWSER_NAMES[browser], system && SYSTEM_NAMES[system]];
    return known.filter(Boolean).join(', ') || t('sessions.unknown');
  };
}

function SessionRow({ accountId, session }: { accountId: string; session: Session }) {
  const { t } = useTranslation('settings');
  const day = useDay();
  const isPhone = session.system === 'android' || session.system === 'ios';
  const Icon = isPhone ? Smartphone : Monitor;
  return (
    <li className="flex items-center gap-4 px-5 py-3">
      <Icon size={20} aria-hidden className="shrink-0 text-ink-muted" />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
          {useDeviceName()(session)}
          {session.is_current && <Badge tone="success">{t('sessions.current')}</Badge>}
        </p>
        <p className="text-[13px] text-ink-muted">
          {session.is_current ? (
            t('sessions.in_use')
          ) : (
            <>
              {t('sessions.last_used')} <RelativeTime at={session.last_used_at} />
            </>
          )}{' '}
          · {t('sessions.since', { day: day(session.started_at) })}
        </p>
      </div>
      {!session.is_current && <EndButton accountId={accountId} session={session} />}
    </li>
  );
}

/** @param session null: all but this one */
function EndButton({ accountId, session }: { accountId: string; session: Session | null }) {
  const { t } = useTranslation('settings');
  const errorText = useErrorText();
  const deviceName = useDeviceName();
  const end = useEndSession(accountId);
  return (
    <Button
      size={session === null ? 'md' : 'sm'}
      isPending={end.isPending}
      {...(session === null ? {} : { 'aria-label': t('sessions.end_of', { device: deviceName(session) }) })}
      onPress={() =>
        end.mutate(session?.id ?? null, {
          onSuccess: () => toast(t(session === null ? 'sessions.ended_others' : 'sessions.ended')),
          onError: (error) => toast(errorText(error), { tone: 'error' }),
        })
      }
    >
      {t(session === null ? 'sessions.end_others' : 'sessions.end')}
    </Button>
  );
}
