import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IMPORT_VERDICTS, type ImportDetail, type ImportRow, type ImportVerdict } from '#contract/imports.ts';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { CountTabs } from '../../components/CountTabs.tsx';
import { LoadMore } from '../../components/LoadMore.tsx';
import { listFormat } from '../../i18n/formats.ts';
import { useLanguage } from '../../i18n/i18n.ts';
import { useLists } from '../../queries/list-queries.ts';
import { useRows } from './imports.api.ts';
import { firstVerdict } from './imports.logic.ts';

interface VerdictsProps {
  item: ImportDetail;
  title: string;
  help: string;
  /** Above the numbers. */
  children?: ReactNode;
}

/** The number of rows per verdict, and the rows of the selected one. */
export function Verdicts({ item, title, help, children }: VerdictsProps) {
  const { t } = useTranslation('imports');
  const [verdict, setVerdict] = useState<ImportVerdict>(() => firstVerdict(item.counts));
  const shown = IMPORT_VERDICTS.filter((one) => one !== 'merged' || item.counts.merged > 0);
  return (
    <section aria-labelledby="verdicts-title" className="flex flex-col gap-4">
      <div>
        <h2 id="verdicts-title" className="font-semibold">
          {title}
        </h2>
        {help !== '' && <p className="mt-0.5 text-[13px] text-ink-muted">{help}</p>}
      </div>
      {children}
      <CountTabs
        label={t('verdicts')}
        options={shown.map((id) => ({ id, count: item.counts[id], label: t(`verdict.${id}`) }))}
        selected={verdict}
        onSelect={setVerdict}
        className={`grid-cols-2 sm:grid-cols-3 ${shown.length > 6 ? 'lg:grid-cols-7' : 'lg:grid-cols-6'}`}
      />
      <p className="text-[13px] text-ink-muted">{t(`verdict_help.${verdict}`)}</p>
      {item.counts[verdict] > 0 && <Rows key={verdict} item={item} verdict={verdict} />}
    </section>
  );
}

function Rows({ item, verdict }: { item: ImportDetail; verdict: ImportVerdict }) {
  const { t } = useTranslation('imports');
  const query = useRows(item.id, item.status, verdict);
  if (query.isPending) return <Skeleton count={3} />;
  if (query.isLoadingError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const rows = query.data.pages.flatMap((page) => page.results);
  return (
    <>
      <ul
        aria-label={t(`verdict.${verdict}`)}
        className="divide-y divide-line rounded-lg border border-line bg-surface"
      >
        {rows.map((row) => (
          <Row key={row.number} row={row} />
        ))}
      </ul>
      <div className="flex justify-center empty:hidden">
        <LoadMore query={query} label={t('more')} />
      </div>
    </>
  );
}

function Row({ row }: { row: ImportRow }) {
  const { t } = useTranslation('imports');
  const who =
    row.email || (row.fields ?? []).filter((cell) => cell.trim() !== '').join(' · ') || t('row.empty');
  return (
    <li className="grid gap-x-4 gap-y-1 px-4 py-3 sm:grid-cols-[5.5rem_minmax(0,1fr)_minmax(0,1.2fr)] sm:px-5">
      <span className="text-[13px] text-ink-muted tabular-nums">
        {t('row.number', { number: row.number })}
      </span>
      <span className="min-w-0 wrap-anywhere">
        {row.customer_id === null ? (
          who
        ) : (
          <TextLink to="/customers/$id" params={{ id: row.customer_id }}>
            {who}
          </TextLink>
        )}
      </span>
      <span className="min-w-0 text-[13px] break-words text-ink-muted">
        <Wish row={row} />
        {row.reason !== null && <span className="block">{row.reason}</span>}
      </span>
    </li>
  );
}

/** The change in the row. */
function Wish({ row }: { row: ImportRow }) {
  const { t } = useTranslation('imports');
  const lists = useLists();
  const names = listFormat(useLanguage());
  const named = (subscribed: boolean) =>
    row.lists
      .filter((list) => list.subscribed === subscribed)
      .map((list) => lists.data?.find((one) => one.id === list.list_id)?.name ?? t('row.new_list'));
  const [joins, leaves] = [named(true), named(false)];
  const parts = [
    ...(row.leaves_everything ? [t('row.leaves_everything')] : []),
    // A row that leaves everything subscribes to nothing, whatever its other columns say.
    ...(joins.length > 0 && !row.leaves_everything ? [t('row.joins', { lists: names.format(joins) })] : []),
    ...(leaves.length > 0 ? [t('row.leaves', { lists: names.format(leaves) })] : []),
  ];
  return parts.length === 0 ? null : <span className="block">{parts.join(' · ')}</span>;
}
