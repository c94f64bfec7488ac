import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type BulkChange,
  type BulkUndo,
  UNDO_VERDICTS,
  type UndoneCustomer,
  type UndoVerdict,
} from '#contract/bulk-changes.ts';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { CountTabs } from '../../components/CountTabs.tsx';
import { LoadMore } from '../../components/LoadMore.tsx';
import { listFormat } from '../../i18n/formats.ts';
import { useLanguage } from '../../i18n/i18n.ts';
import { useLists } from '../../queries/list-queries.ts';
import { useUndoneCustomers } from './bulk-changes.api.ts';
import { firstVerdict } from './bulk-changes.logic.ts';

interface UndoneCustomersProps {
  item: BulkChange;
  undo: BulkUndo;
  title: string;
  help: string;
  /** Above the numbers. */
  children?: ReactNode;
}

/** The number of customers per verdict, and those of the selected one. */
export function UndoneCustomers({ item, undo, title, help, children }: UndoneCustomersProps) {
  const { t } = useTranslation('bulk-changes');
  const [verdict, setVerdict] = useState<UndoVerdict>(() => firstVerdict(undo.counts));
  return (
    <section aria-labelledby="undone-title" className="flex flex-col gap-4">
      <div>
        <h2 id="undone-title" className="font-semibold">
          {title}
        </h2>
        {help !== '' && <p className="mt-0.5 text-[13px] text-ink-muted">{help}</p>}
      </div>
      {children}
      <CountTabs
        label={t('verdicts')}
        options={UNDO_VERDICTS.map((id) => ({ id, count: undo.counts[id], label: t(`verdict.${id}`) }))}
        selected={verdict}
        onSelect={setVerdict}
        className="grid-cols-2 lg:grid-cols-4"
      />
      <p className="text-[13px] text-ink-muted">{t(`verdict_help.${verdict}`)}</p>
      {undo.counts[verdict] > 0 && (
        <Rows key={verdict} id={item.id} state={undo.updated_at} verdict={verdict} />
      )}
    </section>
  );
}

function Rows({ id, state, verdict }: { id: string; state: string; verdict: UndoVerdict }) {
  const { t } = useTranslation('bulk-changes');
  const query = useUndoneCustomers(id, state, verdict);
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
          <Row key={row.customer_id} row={row} />
        ))}
      </ul>
      <div className="flex justify-center empty:hidden">
        <LoadMore query={query} label={t('more')} />
      </div>
    </>
  );
}

function Row({ row }: { row: UndoneCustomer }) {
  const { t } = useTranslation('bulk-changes');
  const { restored, kept } = useWords(row);
  return (
    <li className="grid gap-x-4 gap-y-1 px-4 py-3 sm:grid-cols-[minmax(0,1fr)_minmax(0,1.5fr)] sm:px-5">
      <span className="min-w-0 wrap-anywhere">
        {row.email === null ? (
          <span className="text-ink-muted">{t('row.erased')}</span>
        ) : (
          <TextLink to="/customers/$id" params={{ id: row.customer_id }}>
            {row.email}
          </TextLink>
        )}
      </span>
      <span className="min-w-0 text-[13px] break-words">
        {restored.map((text) => (
          <span key={text} className="block">
            {text}
          </span>
        ))}
        {kept.map((text) => (
          <span key={text} className="block text-ink-muted">
            {text}
          </span>
        ))}
      </span>
    </li>
  );
}

/** What goes back of a customer, and what stays and why, as sentences. */
function useWords({ restores, keeps, is_new }: UndoneCustomer) {
  const { t } = useTranslation('bulk-changes');
  const lists = useLists();
  const names = listFormat(useLanguage());
  const nameOf = (listId: string | null) =>
    lists.data?.find((one) => one.id === listId)?.name ?? t('row.a_list');
  const ofLists = (subscribed: boolean | null) =>
    names.format(
      restores
        .filter((one) => one.about === 'list' && one.subscribed === subscribed)
        .map((one) => nameOf(one.list_id)),
    );
  const [on, off, never] = [ofLists(true), ofLists(false), ofLists(null)];
  const all = restores.find(({ about }) => about === 'everything');
  const restored = [
    ...(is_new ? [t('row.new')] : []),
    ...(all === undefined ? [] : [t(all.subscribed === true ? 'row.all_on' : 'row.all_off')]),
    ...(on === '' ? [] : [t('row.on', { lists: on })]),
    ...(off === '' ? [] : [t('row.off', { lists: off })]),
    ...(never === '' || is_new ? [] : [t('row.never', { lists: never })]),
    ...(restores.some(({ about }) => about === 'email') ? [t('row.email')] : []),
  ];
  const kept = keeps.map(({ about, list_id, reason }) =>
    t(`reason.${reason}`, { what: about === 'list' ? nameOf(list_id) : t(`about.${about}`) }),
  );
  return { restored, kept };
}
