import { useNavigate, useSearch } from '@tanstack/react-router';
import { FileInput, MessageSquareWarning, SearchX, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CustomerFilter, ListedCustomer } from '#contract/customers.ts';
import { Button } from '#web/ui/Button.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { TextField } from '#web/ui/TextField.tsx';
import { LoadMore } from '../../components/LoadMore.tsx';
import { useRowLimit } from '../../components/first-frame.ts';
import { usePermission } from '../../account/permissions.ts';
import { CustomersScene } from '../../components/scenes/scenes.tsx';
import { useDebounced } from '../../components/use-debounced.ts';
import { useNumber } from '../../i18n/use-number.ts';
import { useSite } from '../../site/current-site.tsx';
import {
  type CustomerSearch,
  filterOf,
  isFiltered,
  isNarrowed,
  stoppedEarly,
} from './customer-filter.logic.ts';
import { FilterButton, FilterChips } from './CustomerFilters.tsx';
import { CustomerRow, CustomerRowHeader } from './CustomerRow.tsx';
import { PAGE_SIZE, useCustomerCount, useCustomers } from './customers.api.ts';
import { ExportMenu } from './ExportMenu.tsx';
import { ViewsMenu } from './ViewsMenu.tsx';

export { prefetchCustomers as prefetch } from './customers.api.ts';

const LONGEST_ADDRESS = 254;
const PAUSE_MS = 150;

export function CustomersScreen() {
  const { t } = useTranslation(['customers', 'shell']);
  const { site_id } = useSite();
  const search = useSearch({ from: '/shell/customers' });
  const canExport = usePermission('admin');
  const canImport = usePermission('editor');
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('subtitle')}
        action={
          <>
            <LinkButton to="/complaints" icon={<MessageSquareWarning />}>
              {t('shell:titles.complaints')}
            </LinkButton>
            <LinkButton to="/bulk-changes" icon={<Undo2 />}>
              {t('shell:titles.bulk_changes')}
            </LinkButton>
            {canExport && <ExportMenu search={search} />}
            <LinkButton to="/imports" variant={canImport ? 'primary' : 'secondary'} icon={<FileInput />}>
              {canImport ? t('import') : t('shell:titles.imports')}
            </LinkButton>
          </>
        }
      />
      <Search key={site_id} />
    </>
  );
}

function Search() {
  const { t } = useTranslation('customers');
  const navigate = useNavigate();
  const { search, ...filter } = useSearch({ from: '/shell/customers' });
  const [typed, setTyped] = useTyped(search ?? '');
  const wanted = useDebounced(typed.trim(), PAUSE_MS);

  function show(text: string, filters: CustomerFilter) {
    const trimmed = text.trim();
    setTyped(text, trimmed);
    void navigate({
      to: '/customers',
      search: { ...(trimmed === '' ? {} : { search: trimmed }), ...filterOf(filters) },
      replace: true,
      resetScroll: false,
    });
  }

  const all: CustomerSearch = { ...filter, ...(wanted === '' ? {} : { search: wanted }) };
  return (
    <div data-filters>
      <div className="mb-4 flex flex-wrap items-end gap-2">
        <search className="min-w-0 flex-1 basis-64 sm:max-w-sm">
          <TextField
            label={t('search')}
            placeholder={t('search_placeholder')}
            type="search"
            inputMode="email"
            autoComplete="off"
            spellCheck="false"
            value={typed}
            onChange={(text) => show(text, filter)}
            maxLength={LONGEST_ADDRESS}
          />
        </search>
        <FilterButton filter={filter} onChange={(next) => show(typed, next)} />
        <ViewsMenu filter={filterOf(filter)} onOpen={(next) => show('', next)} />
      </div>
      <FilterChips filter={filter} onChange={(next) => show(typed, next)} />
      <Found search={all} onClear={() => show('', {})} />
    </div>
  );
}

/** What is typed, which the URL follows; a URL that was not typed here, such as that of a link, is followed itself. */
function useTyped(inUrl: string): [string, (text: string, next: string) => void] {
  const [typed, setTyped] = useState(inUrl);
  const [seen, setSeen] = useState(inUrl);
  const [awaited, setAwaited] = useState<readonly string[]>([]);
  if (inUrl !== seen) {
    const at = awaited.lastIndexOf(inUrl);
    setSeen(inUrl);
    setAwaited(awaited.slice(at + 1));
    if (at === -1) setTyped(inUrl);
  }
  return [
    typed,
    (text, next) => {
      setTyped(text);
      setAwaited((before) => ((before.at(-1) ?? seen) === next ? before : [...before, next]));
    },
  ];
}

function Found({ search, onClear }: { search: CustomerSearch; onClear: () => void }) {
  const { t } = useTranslation(['customers', 'customer-filters']);
  const query = useCustomers(search);

  if (query.isPending) return <Skeleton count={6} />;
  if (query.isLoadingError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const customers = query.data.pages.flatMap((page) => page.results);
  if (customers.length === 0 && !query.hasNextPage) {
    return isNarrowed(search) ? <NobodyFound search={search} onClear={onClear} /> : <NobodyYet />;
  }
  const isEarly = stoppedEarly(query.data.pages, PAGE_SIZE);
  return (
    <>
      <Count search={search} />
      {customers.length > 0 && (
        <div className="rounded-lg border border-line bg-surface">
          <CustomerRowHeader />
          <ul aria-label={t('title')} aria-busy={query.isPlaceholderData} className="divide-y divide-line">
            <Rows customers={customers} />
          </ul>
        </div>
      )}
      {isEarly && (
        <p className="mt-4 text-center text-pretty text-ink-muted">{t('customer-filters:early')}</p>
      )}
      <div className="mt-4 flex justify-center empty:hidden">
        <LoadMore query={query} label={isEarly ? t('customer-filters:older') : t('more')} />
      </div>
    </>
  );
}

/** In pixels: one line, with its padding and the line below. */
const ROW_HEIGHT = 44;

function Rows({ customers }: { customers: readonly ListedCustomer[] }) {
  const limit = useRowLimit(ROW_HEIGHT);
  return customers.slice(0, limit).map((customer) => <CustomerRow key={customer.id} customer={customer} />);
}

function Count({ search }: { search: CustomerSearch }) {
  const { t } = useTranslation('customer-filters');
  const number = useNumber();
  const { data } = useCustomerCount(search);
  return (
    <p role="status" className="mb-2 min-h-5 text-[13px] text-ink-muted tabular-nums">
      {data &&
        t(data.is_exact ? 'count' : 'count_at_least', { count: data.count, number: number(data.count) })}
    </p>
  );
}

function NobodyYet() {
  const { t } = useTranslation('customers');
  const canImport = usePermission('editor');
  return (
    <EmptyState
      art={<CustomersScene />}
      title={t('empty.title')}
      text={t('empty.text')}
      example={t('empty.example')}
      action={
        canImport && (
          <LinkButton to="/imports/new" icon={<FileInput />}>
            {t('empty.action')}
          </LinkButton>
        )
      }
    />
  );
}

function NobodyFound({ search, onClear }: { search: CustomerSearch; onClear: () => void }) {
  const { t } = useTranslation('customers');
  const filterText = search.search === undefined ? 'nobody.filters' : 'nobody.text';
  return (
    <EmptyState
      icon={<SearchX />}
      title={t('nobody.title')}
      text={t(isFiltered(search) ? filterText : 'nobody.search')}
      action={<Button onPress={onClear}>{t('nobody.clear')}</Button>}
    />
  );
}
