import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { InboundEventView, InboundOutcome } from '#contract/inbound.ts';
import { Badge, type BadgeTone } from '#web/ui/Badge.tsx';
import { Card } from '#web/ui/Card.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { usePermission } from '../../account/permissions.ts';
import { LoadMore } from '../../components/LoadMore.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { useInbound } from './reconciliation.api.ts';
import type { IntegrationProps } from './integration-props.ts';
import { lacksWebhook, needsSecret } from './integrations.logic.ts';
import { BulkChangesLink } from './BulkChangesLink.tsx';
import { WebhookLink } from './WebhookLink.tsx';

/** Events received from the tool, and their outcome. */
export function InboundCard({ integration, connector }: IntegrationProps) {
  const { t } = useTranslation('integrations');
  return (
    <Card
      title={t('inbound.title')}
      description={t(`abilities.tells.${connector.tells_us}`, { tool: connector.name })}
      isPadded={false}
      action={<BulkChangesLink />}
    >
      <WebhookHint integration={integration} connector={connector} />
      <Events integration={integration} connector={connector} />
    </Card>
  );
}

/** Nothing comes in until the webhook is set up, which is a choice; once it was, calls without its secret are a fault. */
function WebhookHint({ integration, connector }: IntegrationProps) {
  const { t } = useTranslation('integrations');
  const canSetUp = usePermission('editor');
  const hasEvents = useInbound(integration.id).data?.pages.some(({ results }) => results.length > 0);
  if (!lacksWebhook(integration, connector)) return null;
  const tool = connector.name;
  const isRejected = hasEvents === true && needsSecret(integration, connector);
  const hint = isRejected ? 'webhook.needs_secret' : 'inbound.needs_webhook';
  return (
    <div className="p-5 not-last:pb-0">
      <Notice tone={isRejected ? 'warning' : 'neutral'}>
        {canSetUp ? (
          <>
            {t(hint, { tool })} <WebhookLink id={integration.id} />
          </>
        ) : (
          t('inbound.no_webhook', { tool })
        )}
      </Notice>
    </div>
  );
}

function Events({ integration, connector }: IntegrationProps) {
  const { t } = useTranslation('integrations');
  const query = useInbound(integration.id);
  if (query.isPending)
    return (
      <Padded>
        <Skeleton shape="text" />
      </Padded>
    );
  if (query.isLoadingError) {
    return (
      <Padded>
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      </Padded>
    );
  }
  const events = query.data.pages.flatMap((page) => page.results);
  if (events.length === 0) {
    if (lacksWebhook(integration, connector)) return null;
    return (
      <Padded>
        <p className="text-pretty text-ink-muted">{t('inbound.empty', { tool: connector.name })}</p>
      </Padded>
    );
  }
  return (
    <>
      <ul className="divide-y divide-line">
        {events.map((event) => (
          <EventRow key={event.id} event={event} />
        ))}
      </ul>
      {query.hasNextPage && (
        <div className="flex justify-center border-t border-line p-3">
          <LoadMore query={query} label={t('more')} size="sm" />
        </div>
      )}
    </>
  );
}

function Padded({ children }: { children: ReactNode }) {
  return <div className="p-5">{children}</div>;
}

const TONES: Record<InboundOutcome, BadgeTone> = {
  applied: 'success',
  kept: 'success',
  ignored: 'neutral',
  failed: 'danger',
};

function EventRow({ event }: { event: InboundEventView }) {
  const { t } = useTranslation('integrations');
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-1 px-5 py-3">
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-medium">{t(`inbound.kind.${event.kind ?? 'unreadable'}`)}</p>
        {event.email !== null && <p className="wrap-anywhere text-ink-muted">{event.email}</p>}
        {event.reason !== null && (
          <p lang="en" className="text-[13px] wrap-anywhere text-ink-muted">
            {event.reason}
          </p>
        )}
      </div>
      <div className="flex shrink-0 items-center gap-3 text-[13px] text-ink-muted">
        <RelativeTime at={event.at} />
        <Badge tone={TONES[event.outcome]}>{t(`inbound.outcome.${event.outcome}`)}</Badge>
      </div>
    </li>
  );
}
