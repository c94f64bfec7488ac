import { ArrowLeft, SearchX } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#contract/client.ts';
import type { Complaint } from '#contract/complaints.ts';
import { Card } from '#web/ui/Card.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { usePermission } from '../../account/permissions.ts';
import { BackLink } from '../../components/BackLink.tsx';
import { Fact, Facts } from '../../components/Facts.tsx';
import { ReadOnlyNotice } from '../../components/ReadOnlyNotice.tsx';
import { ExactTime, useUtcDay } from '../../components/RelativeTime.tsx';
import { useLanguage } from '../../i18n/i18n.ts';
import { languageName } from '../../i18n/language-name.ts';
import { AnswerForm } from './AnswerForm.tsx';
import { ComplaintBadges } from './ComplaintBadges.tsx';
import { useComplaint } from './complaints.api.ts';

export { prefetchComplaint as prefetch } from './complaints.api.ts';

const COLUMNS = 'grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,24rem)]';

export function ComplaintScreen({ id }: { id: string }) {
  const { t } = useTranslation('complaints');
  const query = useComplaint(id);
  const { data } = query;
  return (
    <>
      <PageHeader
        title={t('one')}
        {...(data ? { description: <ComplaintBadges complaint={data} /> } : {})}
        back={<BackLink to="/complaints">{t('title')}</BackLink>}
      />
      {data ? (
        <Body complaint={data} />
      ) : query.isPending ? (
        <div className={COLUMNS}>
          <Skeleton shape="panels" count={2} />
          <Skeleton shape="panels" />
        </div>
      ) : query.error instanceof ApiError && query.error.status === 404 ? (
        <Gone />
      ) : (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      )}
    </>
  );
}

function Gone() {
  const { t } = useTranslation('complaints');
  return (
    <EmptyState
      icon={<SearchX />}
      title={t('gone.title')}
      text={t('gone.text')}
      action={
        <LinkButton to="/complaints" icon={<ArrowLeft />}>
          {t('title')}
        </LinkButton>
      }
    />
  );
}

function Body({ complaint }: { complaint: Complaint }) {
  const { t } = useTranslation('complaints');
  const canAnswer = usePermission('editor');
  const [unsent, setUnsent] = useState<string | null>(null);
  const isOpen = complaint.state === 'open';
  return (
    <>
      {isOpen && <ReadOnlyNotice needs="editor" />}
      <div className={COLUMNS}>
        <div className="flex min-w-0 flex-col gap-6">
          <Card title={t('text.title')}>
            <p className="wrap-anywhere whitespace-pre-wrap">{complaint.text ?? t('text.gone')}</p>
          </Card>
          {unsent !== null && !isOpen && (
            <div role="alert">
              <Notice tone="warning">
                <p className="font-medium">{t('answer.conflict')}</p>
                <p className="mt-1 wrap-anywhere whitespace-pre-wrap">{unsent}</p>
              </Notice>
            </div>
          )}
          {isOpen && canAnswer && <AnswerForm complaint={complaint} onConflict={setUnsent} />}
          {complaint.answer !== null && (
            <Card title={t('answer.title')}>
              <p className="wrap-anywhere whitespace-pre-wrap">{complaint.answer}</p>
            </Card>
          )}
        </div>
        <Details complaint={complaint} />
      </div>
    </>
  );
}

function Details({ complaint }: { complaint: Complaint }) {
  const { t } = useTranslation('complaints');
  const day = useUtcDay();
  const shown = useLanguage();
  const { acknowledged_at: acknowledgedAt, closed_at: closedAt, email } = complaint;
  return (
    <Card title={t('facts.title')}>
      <Facts>
        <Fact name={t('facts.customer')}>
          {email === null ? (
            t('erased')
          ) : (
            <TextLink to="/customers/$id" params={{ id: complaint.customer_id }}>
              {email}
            </TextLink>
          )}
        </Fact>
        <Fact name={t('facts.received')}>
          <ExactTime at={complaint.received_at} />
        </Fact>
        <Fact name={t('facts.confirmed')}>
          {acknowledgedAt !== null ? (
            <ExactTime at={acknowledgedAt} />
          ) : closedAt === null ? (
            <span className="text-warning">
              {t('facts.not_confirmed', { date: day(complaint.acknowledge_by) })}
            </span>
          ) : (
            t('facts.never_confirmed')
          )}
        </Fact>
        <Fact name={t('facts.due')}>{day(complaint.due_at)}</Fact>
        {closedAt !== null && (
          <Fact name={t('facts.closed')}>
            <ExactTime at={closedAt} />
          </Fact>
        )}
        <Fact name={t('facts.level')}>{t(`level.${complaint.level ?? 'unknown'}`)}</Fact>
        <Fact name={t('facts.language')}>{languageName(complaint.language, shown)}</Fact>
      </Facts>
    </Card>
  );
}
