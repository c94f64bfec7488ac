import { Link, useParams } from '@tanstack/react-router';
import { ArrowLeft, FileSpreadsheet, type LucideIcon, Plug, SearchX, Users, Wrench } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { BulkChange, BulkChangeKind } from '#contract/bulk-changes.ts';
import { ApiError } from '#contract/client.ts';
import { Badge } from '#web/ui/Badge.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { BackLink } from '../../components/BackLink.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { BulkChangesScene } from '../../components/scenes/scenes.tsx';
import { useNumber } from '../../i18n/use-number.ts';
import { useIntegrations } from '../../queries/integration-queries.ts';
import { useBulkChange, useBulkChanges } from './bulk-changes.api.ts';
import { stateOf, toneOf } from './bulk-changes.logic.ts';
import { UndoSteps } from './UndoSteps.tsx';

const ICONS: Record<BulkChangeKind, LucideIcon> = {
  import: FileSpreadsheet,
  incoming: Plug,
  repair: Wrench,
  edit: Users,
};

/** What can be undone: everything that changed many customers at once. */
export function BulkChangesScreen() {
  const { t } = useTranslation('bulk-changes');
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('subtitle')}
        back={<BackLink to="/customers">{t('customers')}</BackLink>}
      />
      <Listed />
    </>
  );
}

function Listed() {
  const { t } = useTranslation('bulk-changes');
  const query = useBulkChanges();
  if (query.isPending) return <Skeleton count={4} />;
  if (query.isLoadingError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data.length === 0) {
    return (
      <EmptyState
        art={<BulkChangesScene />}
        title={t('empty.title')}
        text={t('empty.text')}
        example={t('empty.example')}
      />
    );
  }
  return (
    <ul aria-label={t('title')} className="divide-y divide-line rounded-lg border border-line bg-surface">
      {query.data.map((one) => (
        <Row key={one.id} item={one} />
      ))}
    </ul>
  );
}

function Row({ item }: { item: BulkChange }) {
  const { t } = useTranslation('bulk-changes');
  const number = useNumber();
  const nameOf = useName();
  const Icon = ICONS[item.kind];
  return (
    <li>
      <Link
        to="/bulk-changes/$id"
        params={{ id: item.id }}
        className="grid gap-x-4 gap-y-1 px-4 py-3 no-underline -outline-offset-2 hover:bg-hover sm:grid-cols-[minmax(0,1fr)_auto] sm:items-center sm:px-5 lg:grid-cols-[minmax(0,1fr)_10rem_12rem_10rem]"
      >
        <span className="flex min-w-0 items-center gap-2 font-medium">
          <Icon size={16} aria-hidden className="shrink-0 text-ink-muted" />
          <span className="min-w-0 wrap-anywhere">{nameOf(item)}</span>
        </span>
        <span className="text-[13px] text-ink-muted tabular-nums sm:text-right lg:text-left">
          {t('count', { number: number(item.customers) })}
        </span>
        <span className="empty:hidden lg:empty:block">
          <StateBadge item={item} />
        </span>
        <span className="text-[13px] text-ink-muted sm:text-right">
          <RelativeTime at={item.ended_at} />
        </span>
      </Link>
    </li>
  );
}

function StateBadge({ item }: { item: BulkChange }) {
  const { t } = useTranslation('bulk-changes');
  const state = stateOf(item);
  return state === 'open' ? null : <Badge tone={toneOf(state)}>{t(`state.${state}`)}</Badge>;
}

/** Says what a bulk change was. */
function useName(): (item: BulkChange) => string {
  const { t } = useTranslation('bulk-changes');
  const integrations = useIntegrations().data ?? [];
  return ({ kind, name, integration_id, actor }) => {
    const tool = integrations.find(({ id }) => id === integration_id)?.name ?? t('a_tool');
    if (kind === 'edit') return t('what.edit', { name: actor?.name ?? t('someone_gone') });
    if (kind !== 'import') return t(`what.${kind}`, { tool });
    return name === null ? t('what.import_tool', { tool }) : t('what.import', { name });
  };
}

export function BulkChangeScreen() {
  const { id } = useParams({ from: '/shell/bulk-changes/$id' });
  return <One id={id} key={id} />;
}

function One({ id }: { id: string }) {
  const { t } = useTranslation('bulk-changes');
  const query = useBulkChange(id);
  const nameOf = useName();
  const { data } = query;
  return (
    <>
      <PageHeader
        title={data ? nameOf(data) : t('one')}
        {...(data ? { description: <About item={data} /> } : {})}
        back={<BackLink to="/bulk-changes">{t('title')}</BackLink>}
      />
      {data ? (
        <UndoSteps item={data} trouble={query.error} />
      ) : query.isPending ? (
        <Skeleton shape="panels" count={2} />
      ) : query.error instanceof ApiError && query.error.status === 404 ? (
        <Gone />
      ) : (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      )}
    </>
  );
}

function About({ item }: { item: BulkChange }) {
  const { t } = useTranslation('bulk-changes');
  const number = useNumber();
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <RelativeTime at={item.ended_at} />
      <span className="tabular-nums">{t('count', { number: number(item.customers) })}</span>
      {item.kind === 'import' && item.actor?.name && (
        <span className="wrap-anywhere">{t('by', { name: item.actor.name })}</span>
      )}
      <StateBadge item={item} />
    </span>
  );
}

function Gone() {
  const { t } = useTranslation('bulk-changes');
  return (
    <EmptyState
      icon={<SearchX />}
      title={t('gone.title')}
      text={t('gone.text')}
      action={
        <LinkButton to="/bulk-changes" icon={<ArrowLeft />}>
          {t('title')}
        </LinkButton>
      }
    />
  );
}
