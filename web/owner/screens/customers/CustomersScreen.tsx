import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { FileInput, SearchX, Users } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Customer } from '#contract/customers.ts';
import { Button } from '#web/ui/Button.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { TextField } from '#web/ui/TextField.tsx';
import { LoadMore } from '../../components/LoadMore.tsx';
import { usePermission } from '../../account/permissions.ts';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { useSite } from '../../site/current-site.tsx';
import { useCustomers } from './customers.api.ts';
import { ExportMenu } from './ExportMenu.tsx';
import { StateBadge } from './StateBadge.tsx';

export { prefetchCustomers as prefetch } from './customers.api.ts';

const LONGEST_ADDRESS = 254;

export function CustomersScreen() {
  const { t } = useTranslation('customers');
  const { site_id } = useSite();
  const canExport = usePermission('admin');
  const canImport = usePermission('editor');
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('subtitle')}
        action={
          <>
            {canExport && <ExportMenu />}
            <LinkButton to="/imports" variant={canImport ? 'primary' : 'secondary'} icon={<FileInput />}>
              {t('import')}
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
  const { search } = useSearch({ from: '/shell/customers' });
  const [typed, setTyped] = useState(search ?? '');

  function look(text: string) {
    setTyped(text);
    const wanted = text.trim();
    void navigate({
      to: '/customers',
      search: wanted === '' ? {} : { search: wanted },
      replace: true,
      resetScroll: false,
    });
  }

  return (
    <>
      <search className="mb-4 block sm:max-w-sm">
        <TextField
          label={t('search')}
          placeholder={t('search_placeholder')}
          type="search"
          inputMode="email"
          autoComplete="off"
          spellCheck="false"
          value={typed}
          onChange={look}
          maxLength={LONGEST_ADDRESS}
        />
      </search>
      <Found search={useDeferredValue(typed.trim())} onClear={() => look('')} />
    </>
  );
}

function Found({ search, onClear }: { search: string; onClear: () => void }) {
  const { t } = useTranslation('customers');
  const query = useCustomers(search);

  if (query.isPending) return <Skeleton count={6} />;
  if (query.isLoadingError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const customers = query.data.pages.flatMap((page) => page.results);
  if (customers.length === 0) return search === '' ? <NobodyYet /> : <NobodyFound onClear={onClear} />;
  return (
    <>
      <ul
        aria-label={t('title')}
        aria-busy={query.isPlaceholderData}
        className="divide-y divide-line rounded-lg border border-line bg-surface"
      >
        {customers.map((customer) => (
          <Row key={customer.id} customer={customer} />
        ))}
      </ul>
      <div className="mt-4 flex justify-center empty:hidden">
        <LoadMore query={query} label={t('more')} />
      </div>
    </>
  );
}

function Row({ customer }: { customer: Customer }) {
  const { t } = useTranslation('customers');
  return (
    <li>
      <Link
        to="/customers/$id"
        params={{ id: customer.id }}
        className="grid gap-x-4 gap-y-1 px-4 py-3 no-underline -outline-offset-2 hover:bg-hover sm:grid-cols-[minmax(0,1fr)_auto] sm:items-center sm:px-5 lg:grid-cols-[minmax(0,1fr)_16rem_12rem]"
      >
        <span className="min-w-0 font-medium wrap-anywhere">{customer.email}</span>
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1 sm:contents">
          <span className="sm:justify-self-end lg:justify-self-start">
            <StateBadge customer={customer} />
          </span>
          <span className="text-[13px] text-ink-muted lg:text-right">
            {t('added')} <RelativeTime at={customer.created_at} />
          </span>
        </span>
      </Link>
    </li>
  );
}

function NobodyYet() {
  const { t } = useTranslation('customers');
  const canImport = usePermission('editor');
  return (
    <EmptyState
      icon={<Users />}
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

function NobodyFound({ onClear }: { onClear: () => void }) {
  const { t } = useTranslation('customers');
  return (
    <EmptyState
      icon={<SearchX />}
      title={t('nobody.title')}
      text={t('nobody.text')}
      action={<Button onPress={onClear}>{t('nobody.clear')}</Button>}
    />
  );
}
