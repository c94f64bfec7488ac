import { MailQuestion } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Card } from '#web/ui/Card.tsx';
import { listFormat } from '../../i18n/formats.ts';
import { useLanguage } from '../../i18n/i18n.ts';
import { useExactTime } from '../../components/RelativeTime.tsx';
import { type Pending, usePendingChanges } from './customers.api.ts';

/** Changes that await confirmation by email; renders nothing if there are none. */
export function PendingCard({ id }: { id: string }) {
  const { t } = useTranslation('customers');
  const waiting = usePendingChanges(id).data ?? [];
  if (waiting.length === 0) return null;
  return (
    <Card title={t('pending.title')} description={t('pending.help')} isPadded={false}>
      <ul aria-label={t('pending.title')} className="divide-y divide-line">
        {waiting.map((one) => (
          <Item key={one.kind} pending={one} />
        ))}
      </ul>
    </Card>
  );
}

function Item({ pending }: { pending: Pending }) {
  const { t } = useTranslation('customers');
  const names = listFormat(useLanguage());
  const time = useExactTime();
  const { kind, everything, lists, email, requested_at, until, ip } = pending;
  const isAll = everything || lists.length === 0;
  const text =
    kind === 'email_change'
      ? t('pending.email', { email: email ?? '' })
      : isAll
        ? t('pending.everything')
        : t(kind === 'subscribe' ? 'pending.subscribe' : 'pending.lists', {
            lists: names.format(lists.map(({ name }) => name)),
          });
  return (
    <li className="flex items-start gap-3 px-5 py-3.5">
      <MailQuestion size={16} aria-hidden className="mt-0.5 shrink-0 text-warning" />
      <span className="min-w-0 flex-1">
        <span className="block font-medium wrap-anywhere">{text}</span>
        <span className="block text-[13px] text-ink-muted">
          {t('pending.asked', {
            at: time(requested_at),
            until: time(until),
            ip: ip ?? t('pending.no_ip'),
          })}
        </span>
      </span>
    </li>
  );
}
