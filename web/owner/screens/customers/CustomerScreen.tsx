import { ArrowLeft, CircleHelp, ScrollText, SearchX } from 'lucide-react';
import { useDeferredValue } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#contract/client.ts';
import type { Customer, CustomerDetails } from '#contract/customers.ts';
import { breakable } from '#web/ui/breakable.tsx';
import { Card } from '#web/ui/Card.tsx';
import { CopyButton } from '#web/ui/CopyButton.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { usePermission } from '../../account/permissions.ts';
import { BackLink } from '../../components/BackLink.tsx';
import { Fact, Facts } from '../../components/Facts.tsx';
import { ReadOnlyNotice } from '../../components/ReadOnlyNotice.tsx';
import { ExactTime } from '../../components/RelativeTime.tsx';
import { TestBadge } from '../../components/TestBadge.tsx';
import { BounceNotice } from './BounceNotice.tsx';
import { ComplaintsCard } from './ComplaintsCard.tsx';
import { CustomerLists } from './CustomerLists.tsx';
import { useCustomer, useCustomerLists, useTimeline } from './customers.api.ts';
import { EraseCard } from './EraseCard.tsx';
import { LeaveButton } from './LeaveButton.tsx';
import { LinkCard } from './LinkCard.tsx';
import { PendingCard } from './PendingCard.tsx';
import { ProofMenu } from './ProofMenu.tsx';
import { StateBadge } from './StateBadge.tsx';
import { Timeline } from './Timeline.tsx';
import { WrongRecipientNotice } from './WrongRecipientNotice.tsx';

export { prefetchCustomer as prefetch } from './customers.api.ts';

const COLUMNS = 'grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,24rem)]';

export function CustomerScreen({ id }: { id: string }) {
  const { t } = useTranslation('customers');
  const query = useCustomer(id);
  const back = <BackLink to="/customers">{t('all')}</BackLink>;
  const isGone = query.error instanceof ApiError && query.error.status === 404;
  if (query.data && !isGone) return <Person customer={query.data} />;
  return (
    <>
      <PageHeader title={t('one')} back={back} />
      {query.isPending ? (
        <div className={COLUMNS}>
          <Skeleton shape="panels" count={2} />
          <Skeleton shape="panels" />
        </div>
      ) : isGone ? (
        <Gone />
      ) : (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      )}
    </>
  );
}

function Gone() {
  const { t } = useTranslation('customers');
  return (
    <EmptyState
      icon={<SearchX />}
      title={t('gone.title')}
      text={t('gone.text')}
      action={
        <LinkButton to="/customers" icon={<ArrowLeft />}>
          {t('all')}
        </LinkButton>
      }
    />
  );
}

function Person({ customer }: { customer: CustomerDetails }) {
  const { t } = useTranslation('customers');
  const canChange = usePermission('editor');
  const canExport = usePermission('admin');
  return (
    <>
      <PageHeader
        title={customer.email}
        description={
          <span className="flex flex-wrap gap-1.5">
            <StateBadge customer={customer} isBounced={customer.email_bounce !== null} />
            {customer.test && <TestBadge />}
          </span>
        }
        back={<BackLink to="/customers">{t('all')}</BackLink>}
        action={
          <>
            <LinkButton to="/actions" search={{ what_if: customer.id }} icon={<CircleHelp />}>
              {t('what_if')}
            </LinkButton>
            <LinkButton to="/deliveries" search={{ customer_id: customer.id }} icon={<ScrollText />}>
              {t('deliveries')}
            </LinkButton>
            {canExport && <ProofMenu customerId={customer.id} />}
            {canChange && <LeaveButton customer={customer} />}
          </>
        }
      />
      <ReadOnlyNotice needs="editor" />
      <div className={COLUMNS}>
        <div className="flex min-w-0 flex-col gap-6">
          <WrongRecipientNotice since={customer.wrong_recipient_at} />
          <BounceNotice bounce={customer.email_bounce} />
          <ComplaintsCard id={customer.id} />
          <CustomerLists customer={customer} />
          <PendingCard id={customer.id} />
          <Timeline id={customer.id} />
        </div>
        <div className="flex min-w-0 flex-col gap-6">
          <About customer={customer} />
          {canChange && <SideCards customer={customer} />}
        </div>
      </div>
    </>
  );
}

/** Drawn after the customer's lists and history, which are what a screen is opened for. */
function SideCards({ customer }: { customer: CustomerDetails }) {
  const lists = useCustomerLists(customer.id);
  const timeline = useTimeline(customer.id);
  const isDrawn = useDeferredValue(!lists.isPending && !timeline.isPending, false);
  if (!isDrawn) return null;
  return (
    <div className="contents print:hidden">
      <LinkCard customer={customer} />
      <EraseCard customer={customer} />
    </div>
  );
}

function About({ customer }: { customer: Customer }) {
  const { t } = useTranslation('customers');
  return (
    <Card title={t('about.title')}>
      <Facts>
        <Fact
          name={t('about.address')}
          action={<CopyButton value={customer.email} label={t('about.copy_address')} />}
        >
          <span className="wrap-anywhere">{breakable(customer.email)}</span>
        </Fact>
        <Fact name={t('about.since')}>
          <ExactTime at={customer.created_at} />
        </Fact>
        <Fact name={t('about.id')} action={<CopyButton value={customer.id} label={t('about.copy_id')} />}>
          <code className="font-mono text-[13px] wrap-anywhere">{customer.id}</code>
        </Fact>
      </Facts>
    </Card>
  );
}
