import { TriangleAlert } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Dashboard, IntegrationHealth } from '#contract/dashboard.ts';
import { Badge, type BadgeTone } from '#web/ui/Badge.tsx';
import { Card } from '#web/ui/Card.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { usePermission } from '../../account/permissions.ts';
import { useNumber } from '../../i18n/use-number.ts';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { type Endpoint, type UnsentList, unsentLists } from './figures.logic.ts';

const TONES: Record<IntegrationHealth, BadgeTone> = {
  connected: 'success',
  resting: 'warning',
  needs_attention: 'danger',
  switched_off: 'danger',
};

export function HealthCard({
  figures,
}: {
  figures: Pick<Dashboard, 'integrations' | 'endpoints' | 'lists'>;
}) {
  const { t } = useTranslation('figures');
  const { integrations, endpoints } = figures;
  const canConnect = usePermission('admin');
  return (
    <Card
      title={t('health.title')}
      action={<TextLink to="/integrations">{t('health.all')}</TextLink>}
      isPadded={false}
    >
      {integrations.length === 0 ? (
        <p className="p-5 text-pretty text-ink-muted">{t(canConnect ? 'health.none' : 'health.none_ask')}</p>
      ) : (
        <ul className="divide-y divide-line">
          {integrations.map((integration) => (
            <Row key={integration.id} integration={integration} />
          ))}
        </ul>
      )}
      {endpoints.length > 0 && (
        <ul className="divide-y divide-line border-t border-line">
          {endpoints.map((endpoint) => (
            <EndpointRow key={endpoint.action_id} endpoint={endpoint} />
          ))}
        </ul>
      )}
      <UnsentLists lists={unsentLists(figures)} />
    </Card>
  );
}

/** More are one click further, on the lists' own screen. */
const MOST_LINKS = 5;

function UnsentLists({ lists }: { lists: readonly UnsentList[] }) {
  const { t } = useTranslation('figures');
  const number = useNumber();
  const canEdit = usePermission('editor');
  if (lists.length === 0) return null;
  const count = lists.length;
  return (
    <div className="flex gap-2.5 border-t border-line px-5 py-3">
      <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-warning" />
      <div className="min-w-0">
        <p className="font-medium text-pretty">{t('summary.unsent', { count, number: number(count) })}</p>
        {canEdit && (
          <p className="mt-0.5 flex flex-wrap gap-x-3 gap-y-1 text-[13px] text-ink-muted">
            {t('health.create_for')}
            {lists.slice(0, MOST_LINKS).map(({ list_id, name }) => (
              <span key={list_id} className="min-w-0 wrap-anywhere">
                <TextLink to="/actions" search={{ edit: 'new', list: list_id }}>
                  {name}
                </TextLink>
              </span>
            ))}
            {count > MOST_LINKS && <TextLink to="/lists">{t('over_time.all_lists')}</TextLink>}
          </p>
        )}
      </div>
    </div>
  );
}

/** A webhook or evidence action whose receiver fails, or that we turned off for it. */
function EndpointRow({ endpoint }: { endpoint: Endpoint }) {
  const { t } = useTranslation('figures');
  const { action_id, name, state, failing_since: since, disabled_because: why } = endpoint;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-5 py-3">
      <span className="min-w-0 flex-1 font-medium wrap-anywhere">
        <TextLink to="/actions" hash={action_id} tone="plain">
          {name}
        </TextLink>
      </span>
      <Badge tone="danger">{t(state === 'failing' ? 'health.needs_attention' : 'health.action_off')}</Badge>
      <span className="flex w-full flex-wrap gap-x-3 text-[13px] text-ink-muted">
        {why !== null && t(`health.off_because.${why}`)}
        {why === null && since !== null && (
          <span>
            {t('health.failing')} <RelativeTime at={since} />
          </span>
        )}
      </span>
    </li>
  );
}

function Row({ integration }: { integration: Dashboard['integrations'][number] }) {
  const { t } = useTranslation('figures');
  const number = useNumber();
  const { id, name, health, waiting, unconfirmed, last_arrival_at } = integration;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-5 py-3">
      <span className="min-w-0 flex-1 font-medium wrap-anywhere">
        <TextLink to="/integrations/$id" params={{ id }} tone="plain">
          {name}
        </TextLink>
      </span>
      <Badge tone={TONES[health]}>{t(`health.${health}`)}</Badge>
      <span className="flex w-full flex-wrap gap-x-3 text-[13px] text-ink-muted">
        {unconfirmed > 0 && (
          <span className="font-medium text-danger">
            <TextLink to="/deliveries" search={{ integration_id: id, unconfirmed: 'true' }} tone="plain">
              {t('health.unconfirmed', { number: number(unconfirmed) })}
            </TextLink>
          </span>
        )}
        {waiting > 0 && (
          <TextLink to="/deliveries" search={{ integration_id: id, status: 'waiting' }}>
            {t('health.waiting', { number: number(waiting) })}
          </TextLink>
        )}
        {last_arrival_at === null ? (
          t('health.never')
        ) : (
          <span>
            {t('health.last')} <RelativeTime at={last_arrival_at} />
          </span>
        )}
      </span>
    </li>
  );
}
