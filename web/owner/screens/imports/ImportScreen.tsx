import { ArrowLeft, Plus, SearchX } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#contract/client.ts';
import type { ImportDetail } from '#contract/imports.ts';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { ProgressBar } from '#web/ui/ProgressBar.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { numberFormat } from '../../i18n/formats.ts';
import { useLanguage } from '../../i18n/i18n.ts';
import { usePermission } from '../../account/permissions.ts';
import { BackLink } from '../../components/BackLink.tsx';
import { ReadOnlyNotice } from '../../components/ReadOnlyNotice.tsx';
import { CancelButton } from './CancelButton.tsx';
import { CheckedImport } from './CheckedImport.tsx';
import { EndedImport } from './EndedImport.tsx';
import { ImportName, StatusBadge } from './ImportsScreen.tsx';
import { useImport } from './imports.api.ts';
import { isEnded, isWorking, shareOf, stepOf } from './imports.logic.ts';
import { MappingForm } from './MappingForm.tsx';
import { Steps } from './Steps.tsx';

export { prefetchImport as prefetch } from './imports.api.ts';

/** An import at its current step, as the server reports it. */
export function ImportScreen({ id }: { id: string }) {
  const { t } = useTranslation('imports');
  const query = useImport(id);
  const { data } = query;
  const canImport = usePermission('editor');
  return (
    <>
      <PageHeader
        title={t('one')}
        {...(data ? { description: <Description item={data} /> } : {})}
        back={<BackLink to="/imports">{t('title')}</BackLink>}
        action={
          data &&
          canImport &&
          (isEnded(data.status) ? (
            <LinkButton to="/imports/new" icon={<Plus />}>
              {t('new')}
            </LinkButton>
          ) : (
            <CancelButton id={id} status={data.status} />
          ))
        }
      />
      {data ? (
        <Body item={data} trouble={query.error} />
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

function Description({ item }: { item: ImportDetail }) {
  return (
    <span className="flex flex-wrap items-center gap-2">
      <span className="min-w-0 wrap-anywhere">
        <ImportName item={item} />
      </span>
      <StatusBadge status={item.status} />
    </span>
  );
}

function Gone() {
  const { t } = useTranslation('imports');
  return (
    <EmptyState
      icon={<SearchX />}
      title={t('gone.title')}
      text={t('gone.text')}
      action={
        <LinkButton to="/imports" icon={<ArrowLeft />}>
          {t('title')}
        </LinkButton>
      }
    />
  );
}

function Body({ item, trouble }: { item: ImportDetail; trouble: unknown }) {
  const [isMapping, setIsMapping] = useState(false);
  const canImport = usePermission('editor');
  const showsMapping = item.status === 'uploaded' || (item.status === 'checked' && isMapping);
  return (
    <div className="flex flex-col gap-6">
      <Steps source={item.source} current={showsMapping ? 'columns' : stepOf(item)} />
      {!isEnded(item.status) && <ReadOnlyNotice needs="editor" />}
      <FormError error={trouble} />
      {showsMapping && canImport && (
        <MappingForm
          item={item}
          onChecked={() => setIsMapping(false)}
          {...(item.status === 'checked' ? { onBack: () => setIsMapping(false) } : {})}
        />
      )}
      {!showsMapping && <Step item={item} onMapping={() => setIsMapping(true)} />}
    </div>
  );
}

function Step({ item, onMapping }: { item: ImportDetail; onMapping: () => void }) {
  if (isWorking(item.status)) return <Working item={item} />;
  if (item.status === 'checked') return <CheckedImport item={item} onMapping={onMapping} />;
  return <EndedImport item={item} />;
}

function Working({ item }: { item: ImportDetail }) {
  const { t } = useTranslation('imports');
  const number = numberFormat(useLanguage());
  const { status, counts } = item;
  const done = status === 'applying' ? counts.applied + counts.rejected : counts.checked;
  const share = shareOf(item);
  return (
    <div className="flex max-w-3xl flex-col gap-4 rounded-lg border border-line bg-surface p-5">
      <ProgressBar
        label={t(`status.${status}`)}
        share={share}
        text={
          share === null
            ? t('working.read', { read: number.format(counts.read) })
            : t('working.done', { done: number.format(done), total: number.format(counts.total) })
        }
      />
      <Notice>{t(status === 'applying' ? 'working.applying' : 'working.nothing_yet')}</Notice>
    </div>
  );
}
