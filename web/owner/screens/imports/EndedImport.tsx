import { Download, ScrollText, Undo2, Users } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { ImportDetail } from '#contract/imports.ts';
import { Button } from '#web/ui/Button.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { numberFormat } from '../../i18n/formats.ts';
import { useLanguage } from '../../i18n/i18n.ts';
import { usePermission } from '../../account/permissions.ts';
import { useDay } from '../../components/RelativeTime.tsx';
import { useDownloadRejected } from './imports.api.ts';
import { changesOf } from './imports.logic.ts';
import { Verdicts } from './Verdicts.tsx';

/** As long as the server keeps the rows of an import that ended. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

export function EndedImport({ item }: { item: ImportDetail }) {
  const { t } = useTranslation('imports');
  const day = useDay();
  const download = useDownloadRejected(item.id);
  const canUndo = usePermission('editor');
  const hasRows = item.counts.checked > 0;
  const hasRejected = hasRows && item.counts.rejected > 0;
  return (
    <>
      <Outcome item={item} />
      <div className="flex flex-wrap gap-2">
        <LinkButton to="/customers" variant="primary" icon={<Users />}>
          {t('ended.customers')}
        </LinkButton>
        {item.counts.applied > 0 && (
          <LinkButton to="/deliveries" search={{ since: item.created_at }} icon={<ScrollText />}>
            {t('ended.deliveries')}
          </LinkButton>
        )}
        {hasRejected && (
          <Button icon={<Download />} isPending={download.isPending} onPress={() => download.mutate()}>
            {t('ended.download')}
          </Button>
        )}
        {canUndo && changesOf(item.counts) > 0 && (
          <LinkButton to="/bulk-changes/$id" params={{ id: item.id }} icon={<Undo2 />}>
            {t('ended.undo')}
          </LinkButton>
        )}
      </div>
      {hasRejected && <p className="text-[13px] text-pretty text-ink-muted">{t('ended.fix')}</p>}
      <FormError error={download.error} />
      {hasRows && (
        <Verdicts
          item={item}
          title={t('ended.title')}
          help={
            item.ended_at === null
              ? ''
              : t('ended.kept', { date: day(new Date(Date.parse(item.ended_at) + KEPT_MS).toISOString()) })
          }
        />
      )}
    </>
  );
}

function Outcome({ item }: { item: ImportDetail }) {
  const { t } = useTranslation('imports');
  const number = numberFormat(useLanguage());
  const customers = changesOf(item.counts);
  const changes = number.format(customers);
  const { rejected } = item.counts;
  if (item.status === 'finished') {
    return (
      <div role="status">
        <Notice tone="success">
          {t('ended.imported', { count: customers, number: changes })}
          {rejected > 0 &&
            ` ${t('ended.not_imported', { count: rejected, number: number.format(rejected) })}`}
        </Notice>
      </div>
    );
  }
  const text = item.counts.applied > 0 ? t('ended.part', { count: customers, changes }) : t('ended.nothing');
  if (item.status === 'cancelled') return <Notice>{text}</Notice>;
  return (
    <div role="alert">
      <Notice tone="danger">
        <p className="font-medium">{t('ended.failed')}</p>
        {item.message !== null && <p>{item.message}</p>}
        <p>{text}</p>
      </Notice>
    </div>
  );
}
