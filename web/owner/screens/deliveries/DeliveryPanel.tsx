import { CircleHelp, RotateCw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DeliveryDetail } from '#contract/deliveries.ts';
import { Badge } from '#web/ui/Badge.tsx';
import { Button } from '#web/ui/Button.tsx';
import { CopyButton } from '#web/ui/CopyButton.tsx';
import { useErrorText } from '#web/ui/error-text.ts';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { IconButton } from '#web/ui/IconButton.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { PopoverPanel } from '#web/ui/PopoverPanel.tsx';
import { SidePanel } from '#web/ui/SidePanel.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { toast } from '#web/ui/toast.tsx';
import { usePermission } from '../../account/permissions.ts';
import { Fact, Facts } from '../../components/Facts.tsx';
import { ExactTime } from '../../components/RelativeTime.tsx';
import { useAfterFirstPaint } from '../../components/first-frame.ts';
import { useActions } from '../../queries/action-queries.ts';
import { AttemptItem } from './AttemptItem.tsx';
import { useDelivery, useReplay } from './deliveries.api.ts';
import { EvidenceCard } from './EvidenceCard.tsx';
import { NextStep } from './NextStep.tsx';
import { Outcome } from './Outcome.tsx';
import { wasAlreadyInSync, hasResultSince, isWithheld } from './outcome.logic.ts';
import { useHeadline } from './use-headline.ts';
import { WhatChanged } from './WhatChanged.tsx';

export function DeliveryPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation('deliveries');
  const query = useDelivery(id);
  const headline = useHeadline();
  return (
    <SidePanel
      title={query.data ? headline(query.data) : t('detail.title')}
      onClose={onClose}
      action={query.data && <ReplayButton delivery={query.data} />}
    >
      <PanelBody query={query} />
    </SidePanel>
  );
}

function PanelBody({ query }: { query: ReturnType<typeof useDelivery> }) {
  if (query.isPending) return <Skeleton shape="text" count={8} />;
  if (query.isLoadingError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  return <Sections delivery={query.data} />;
}

function Sections({ delivery }: { delivery: DeliveryDetail }) {
  const isDrawn = useAfterFirstPaint();
  return (
    <div className="flex flex-col gap-8">
      <div className="rounded-lg border border-line bg-surface px-4 py-3">
        <div className="font-medium" aria-live="polite">
          <Outcome delivery={delivery} />
        </div>
        <NextStep delivery={delivery} />
      </div>
      <WhatChanged delivery={delivery} />
      <Summary delivery={delivery} />
      {isDrawn && (
        <>
          {(delivery.attempts.length > 0 || !isWithheld(delivery)) && <Attempts delivery={delivery} />}
          <EvidenceCard choiceId={delivery.choice_id} />
        </>
      )}
    </div>
  );
}

function Summary({ delivery }: { delivery: DeliveryDetail }) {
  const { t } = useTranslation('deliveries');
  return (
    <section>
      <h3 className="mb-3 font-semibold">{t('detail.title')}</h3>
      <Facts>
        <Fact name={t('column.customer')}>
          {delivery.customer_email === null ? (
            t('row.erased')
          ) : (
            <TextLink to="/customers/$id" params={{ id: delivery.customer_id }}>
              {delivery.customer_email}
            </TextLink>
          )}
        </Fact>
        <Fact name={t('column.action')}>
          {delivery.action_id === null ? (
            t('row.deleted_action', { name: delivery.action_name })
          ) : (
            <TextLink to="/actions" hash={delivery.action_id}>
              {delivery.action_name}
            </TextLink>
          )}
        </Fact>
        {delivery.tool_name !== null && (
          <Fact name={t('column.tool')}>
            <Tool name={delivery.tool_name} actionId={delivery.action_id} />
          </Fact>
        )}
        <Fact name={t('detail.created')}>
          <ExactTime at={delivery.created_at} />
        </Fact>
        {delivery.finished_at !== null && (
          <Fact name={t('detail.finished')}>
            <ExactTime at={delivery.finished_at} />
          </Fact>
        )}
        {!isWithheld(delivery) && (
          <Fact name={t('detail.due')}>
            <span className="flex flex-wrap items-center gap-2">
              <ExactTime at={delivery.due_at} />
              <DueHelp />
              {delivery.is_late && <Badge tone="danger">{t('row.late')}</Badge>}
            </span>
          </Fact>
        )}
        {delivery.confirmed_at !== null && (
          <Fact name={t('detail.confirmed')}>
            <ExactTime at={delivery.confirmed_at} />
          </Fact>
        )}
        <Fact name={t('detail.id')} action={<CopyButton value={delivery.id} label={t('detail.copy_id')} />}>
          <code className="font-mono text-[13px] wrap-anywhere">{delivery.id}</code>
        </Fact>
      </Facts>
    </section>
  );
}

/** What is due, and why: opens by a press, so by touch and keyboard, too. */
function DueHelp() {
  const { t } = useTranslation('deliveries');
  return (
    <span className="-my-1.5">
      <PopoverPanel
        label={t('detail.due')}
        trigger={<IconButton label={t('detail.due_help')} icon={<CircleHelp />} />}
      >
        <p className="text-pretty">{t('detail.due_text')}</p>
      </PopoverPanel>
    </span>
  );
}

/** With a link to its integration, unless the action is gone. */
function Tool({ name, actionId }: { name: string; actionId: string | null }) {
  const integrationId = useActions().data?.find(({ id }) => id === actionId)?.integration_id;
  if (!integrationId) return name;
  return (
    <TextLink to="/integrations/$id" params={{ id: integrationId }}>
      {name}
    </TextLink>
  );
}

function Attempts({ delivery }: { delivery: DeliveryDetail }) {
  const { t } = useTranslation('deliveries');
  const newestFirst = delivery.attempts.toSorted((a, b) => b.number - a.number);
  return (
    <section>
      <h3 className="mb-3 font-semibold">{t('detail.attempts')}</h3>
      {newestFirst.length === 0 ? (
        <p className="text-ink-muted">{t('detail.no_attempts')}</p>
      ) : (
        <ol className="flex flex-col gap-2">
          {newestFirst.map((attempt, index) => (
            <AttemptItem
              key={attempt.number}
              attempt={attempt}
              before={newestFirst[index + 1]}
              isOpen={index === 0}
              wasAlreadyInSync={wasAlreadyInSync(delivery.outcome)}
            />
          ))}
        </ol>
      )}
    </section>
  );
}

/** Says that the delivery is sent again, until its result is there. */
function useSentToast(delivery: DeliveryDetail): () => void {
  const { t } = useTranslation('deliveries');
  const [sent, setSent] = useState<{ before: DeliveryDetail; close: () => void } | null>(null);
  useEffect(() => {
    if (sent !== null && hasResultSince(sent.before, delivery)) sent.close();
  }, [sent, delivery]);
  return () => setSent({ before: delivery, close: toast(t('replay.sent')) });
}

function ReplayButton({ delivery }: { delivery: DeliveryDetail }) {
  const { t } = useTranslation('deliveries');
  const errorText = useErrorText();
  const replay = useReplay(delivery.id);
  const tellSent = useSentToast(delivery);
  const canReplay = usePermission('editor');
  const isUnderWay = delivery.status === 'waiting' && delivery.attempt_count === 0;
  if (!canReplay || isUnderWay || isWithheld(delivery) || delivery.action_id === null) return null;
  return (
    <Button
      size="sm"
      icon={<RotateCw />}
      isPending={replay.isPending}
      onPress={() =>
        replay.mutate(undefined, {
          onSuccess: tellSent,
          onError: (error) => toast(errorText(error), { tone: 'error' }),
        })
      }
    >
      {t('replay.one')}
    </Button>
  );
}
