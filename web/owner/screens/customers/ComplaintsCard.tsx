import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Card } from '#web/ui/Card.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { ComplaintBadges } from '../complaints/ComplaintBadges.tsx';
import { useComplaintsOfCustomer } from '../complaints/complaints.api.ts';

/** What the customer complained about; renders nothing if that is nothing. */
export function ComplaintsCard({ id }: { id: string }) {
  const { t } = useTranslation('complaints');
  const complaints = useComplaintsOfCustomer(id).data ?? [];
  if (complaints.length === 0) return null;
  return (
    <Card title={t('title')} isPadded={false}>
      <ul aria-label={t('title')} className="divide-y divide-line">
        {complaints.map((one) => (
          <li key={one.id}>
            <Link
              to="/complaints/$id"
              params={{ id: one.id }}
              className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 px-5 py-3 no-underline -outline-offset-2 hover:bg-hover"
            >
              <span className="col-span-2 min-w-0 truncate font-medium">{one.text ?? t('text.gone')}</span>
              <ComplaintBadges complaint={one} />
              <span className="text-right text-[13px] text-ink-muted">
                <RelativeTime at={one.received_at} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}
