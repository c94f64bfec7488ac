import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { type Complaint, COMPLAINT_STATES, type ComplaintState } from '#contract/complaints.ts';
import { breakable } from '#web/ui/breakable.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { SegmentedControl } from '#web/ui/SegmentedControl.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { BackLink } from '../../components/BackLink.tsx';
import { LoadMore } from '../../components/LoadMore.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { moveFocusToNextRow } from '../../components/row-focus.ts';
import { ComplaintsScene } from '../../components/scenes/scenes.tsx';
import { ComplaintBadges } from './ComplaintBadges.tsx';
import { useComplaints } from './complaints.api.ts';

export { prefetchComplaints as prefetch } from './complaints.api.ts';

export function ComplaintsScreen() {
  const { t } = useTranslation('complaints');
  const navigate = useNavigate();
  const { state = 'open' } = useSearch({ from: '/shell/complaints' });
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('subtitle')}
        back={<BackLink to="/customers">{t('customers')}</BackLink>}
      />
      <div className="mb-4">
        <SegmentedControl<ComplaintState>
          label={t('show.label')}
          options={COMPLAINT_STATES.map((value) => ({ value, label: t(`show.${value}`) }))}
          value={state}
          onChange={(chosen) =>
            void navigate({
              to: '/complaints',
              search: chosen === 'closed' ? { state: chosen } : {},
              replace: true,
              resetScroll: false,
            })
          }
        />
      </div>
      <Complaints state={state} key={state} />
    </>
  );
}

function Complaints({ state }: { state: ComplaintState }) {
  const { t } = useTranslation('complaints');
  const query = useComplaints(state);
  if (query.isPending) return <Skeleton count={4} />;
  if (query.isLoadingError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const complaints = query.data.pages.flatMap((page) => page.results);
  if (complaints.length === 0) {
    return (
      <EmptyState art={<ComplaintsScene />} title={t(`none.${state}.title`)} text={t(`none.${state}.text`)} />
    );
  }
  return (
    <>
      <ul aria-label={t('title')} className="divide-y divide-line rounded-lg border border-line bg-surface">
        {complaints.map((one) => (
          <Row key={one.id} complaint={one} />
        ))}
      </ul>
      <div className="mt-4 flex justify-center empty:hidden">
        <LoadMore query={query} label={t('more')} />
      </div>
    </>
  );
}

function Row({ complaint }: { complaint: Complaint }) {
  const { t } = useTranslation('complaints');
  const { id, email, text, received_at: receivedAt } = complaint;
  return (
    <li ref={moveFocusToNextRow}>
      <Link
        to="/complaints/$id"
        params={{ id }}
        className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 px-4 py-3 no-underline -outline-offset-2 hover:bg-hover sm:px-5"
      >
        <span className="col-span-2 min-w-0 font-medium wrap-anywhere sm:col-span-1">
          {email === null ? t('erased') : breakable(email)}
        </span>
        <span className="order-3 sm:order-none sm:justify-self-end">
          <ComplaintBadges complaint={complaint} />
        </span>
        <span className="order-2 col-span-2 min-w-0 truncate text-ink-muted sm:order-none sm:col-span-1">
          {text ?? t('text.gone')}
        </span>
        <span className="order-4 text-right text-[13px] text-ink-muted sm:order-none">
          <RelativeTime at={receivedAt} />
        </span>
      </Link>
    </li>
  );
}
