import { Link } from '@tanstack/react-router';
import { FileSpreadsheet, Plug, Plus, Undo2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { ImportSummary } from '#contract/imports.ts';
import { Badge } from '#web/ui/Badge.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { LoadMore } from '../../components/LoadMore.tsx';
import { numberFormat } from '../../i18n/formats.ts';
import { useLanguage } from '../../i18n/i18n.ts';
import { usePermission } from '../../account/permissions.ts';
import { BackLink } from '../../components/BackLink.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { useIntegrations } from '../../queries/integration-queries.ts';
import { ImportsScene } from '../../components/scenes/scenes.tsx';
import { useImports } from './imports.api.ts';
import { changesOf, toneOf } from './imports.logic.ts';

export { prefetchImports as prefetch } from './imports.api.ts';

export function ImportsScreen() {
  const { t } = useTranslation(['imports', 'shell']);
  const canImport = usePermission('editor');
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('subtitle')}
        back={<BackLink to="/customers">{t('customers')}</BackLink>}
        action={
          <>
            <LinkButton to="/bulk-changes" icon={<Undo2 />}>
              {t('shell:titles.bulk_changes')}
            </LinkButton>
            {canImport && (
              <LinkButton to="/imports/new" variant="primary" icon={<Plus />}>
                {t('new')}
              </LinkButton>
            )}
          </>
        }
      />
      <Imports />
    </>
  );
}

function Imports() {
  const { t } = useTranslation('imports');
  const query = useImports();
  if (query.isPending) return <Skeleton count={4} />;
  if (query.isLoadingError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const imports = query.data.pages.flatMap((page) => page.results);
  if (imports.length === 0) return <NoImports />;
  return (
    <>
      <ul aria-label={t('title')} className="divide-y divide-line rounded-lg border border-line bg-surface">
        {imports.map((one) => (
          <Row key={one.id} item={one} />
        ))}
      </ul>
      <div className="mt-4 flex justify-center empty:hidden">
        <LoadMore query={query} label={t('more')} />
      </div>
    </>
  );
}

function NoImports() {
  const { t } = useTranslation('imports');
  const canImport = usePermission('editor');
  return (
    <EmptyState
      art={<ImportsScene />}
      title={t('empty.title')}
      text={t('empty.text')}
      example={t('empty.example')}
      action={
        canImport && (
          <LinkButton to="/imports/new" icon={<Plus />}>
            {t('new')}
          </LinkButton>
        )
      }
    />
  );
}

function Row({ item }: { item: ImportSummary }) {
  const Icon = item.source === 'csv' ? FileSpreadsheet : Plug;
  return (
    <li>
      <Link
        to="/imports/$id"
        params={{ id: item.id }}
        className="grid gap-x-4 gap-y-1 px-4 py-3 no-underline -outline-offset-2 hover:bg-hover sm:grid-cols-[minmax(0,1fr)_auto] sm:items-center sm:px-5 lg:grid-cols-[minmax(0,1fr)_minmax(0,16rem)_10rem_10rem]"
      >
        <span className="flex min-w-0 items-center gap-2 font-medium">
          <Icon size={16} aria-hidden className="shrink-0 text-ink-muted" />
          <span className="min-w-0 wrap-anywhere">
            <ImportName item={item} />
          </span>
        </span>
        <span className="order-3 text-[13px] text-ink-muted lg:order-none">
          <CountWords item={item} />
        </span>
        <span className="lg:order-none">
          <StatusBadge status={item.status} />
        </span>
        <span className="order-4 text-[13px] text-ink-muted sm:text-right lg:order-none">
          <RelativeTime at={item.created_at} />
        </span>
      </Link>
    </li>
  );
}

export function ImportName({ item }: { item: Pick<ImportSummary, 'file_name' | 'integration_id'> }) {
  const { t } = useTranslation('imports');
  const integrations = useIntegrations();
  if (item.file_name !== null) return item.file_name;
  return integrations.data?.find((one) => one.id === item.integration_id)?.name ?? t('a_tool');
}

export function StatusBadge({ status }: { status: ImportSummary['status'] }) {
  const { t } = useTranslation('imports');
  return <Badge tone={toneOf(status)}>{t(`status.${status}`)}</Badge>;
}

function CountWords({ item }: { item: ImportSummary }) {
  const { t } = useTranslation('imports');
  const number = numberFormat(useLanguage());
  const { counts } = item;
  if (counts.checked === 0)
    return t('counts.rows', { rows: number.format(Math.max(counts.total, counts.read)) });
  const changes = changesOf(counts);
  const words = t('counts.changes', { count: changes, number: number.format(changes) });
  if (counts.rejected === 0) return words;
  const { rejected } = counts;
  return `${words} · ${t('counts.not_imported', { count: rejected, number: number.format(rejected) })}`;
}
