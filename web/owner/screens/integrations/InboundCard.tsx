import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { InboundEventView, InboundOutcome } from '#contract/inbound.ts';
import { Badge, type BadgeTone } from '#web/ui/Badge.tsx';
import { Card } from '#web/ui/Card.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { usePermission } from '../../account/permissions.ts';
import { LoadMore } from '../../components/LoadMore.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { useInbound } from './reconciliation.api.ts';
import type { IntegrationProps } from './integration-props.ts';
import { needsSecret } from './integrations.logic.ts';

/** Events received from the tool, and their outcome. */
export function InboundCard({ integration, connector }: IntegrationProps) {
  const { t } = useTranslation('integrations');
  return (
    <Card
      title={t('inbound.title')}
      description={t(`abilities.tells.${connector.tells_us}`, { tool: connector.name })}
      isPadded={false}
    >
      <SecretHint integration={integration} connector={connector} />
      <Events id={integration.id} tool={connector.name} />
    </Card>
  );
}

/** Calls are rejected until the secret is entered. */
function SecretHint({ integration, connector }: IntegrationProps) {
  const { t } = useTranslation('integrations');
  const canChange = usePermission('admin');
  if (!needsSecret(integration, connector) || !canChange) return null;
  return (
    <div className="px-5 pt-5">
      <Notice tone="warning">
        {t('webhook.needs_secret', { tool: connector.name })}{' '}
        <TextLink to="/integrations/$id" params={{ id: integration.id }} search={{ tab: 'technical' }}>
          {t('inbound.set_up')}
        </TextLink>
      </Notice>
    </div>
  );
}

function Events({ id, tool }: { id: string; tool: string }) {
  const { t } = useTranslation('integrations');
  const query = useInbound(id);
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
    return (
      <Padded>
        <p className="text-pretty text-ink-muted">{t('inbound.empty', { tool })}</p>
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

const TONES: Record<InboundOutcome, BadgeTone> = { applied: 'success', ignored: 'neutral', failed: 'danger' };

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
