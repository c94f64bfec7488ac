import { useNavigate, useSearch } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { AUDIT_NOUNS } from '#contract/audit-log.ts';
import { Button } from '#web/ui/Button.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { SelectField } from '#web/ui/SelectField.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { FilterActions } from '../../../components/FilterActions.tsx';
import { LoadMore } from '../../../components/LoadMore.tsx';
import { EvidenceScene } from '../../../components/scenes/scenes.tsx';
import { oneOf } from '../../../routing/search-params.logic.ts';
import { useSite } from '../../../site/current-site.tsx';
import { AuditRow, useActorName } from './AuditRow.tsx';
import { type AuditFilter, useAuditActors, useAuditLog } from './audit-log.api.ts';

const ANY = 'any';

/** Who changed what on the current site. */
export function AuditLogSection() {
  const { t } = useTranslation('settings');
  const navigate = useNavigate();
  const { site } = useSite();
  const { noun, actor } = useSearch({ from: '/shell/account-settings' });
  const filter = { noun: oneOf(noun, AUDIT_NOUNS), actor };
  const setFilter = (next: AuditFilter) =>
    void navigate({
      to: '/account-settings',
      search: { section: 'audit-log', ...next },
      resetScroll: false,
    });
  return (
    <section aria-labelledby="audit-title">
      <h2 id="audit-title" className="font-semibold">
        {t('audit.title', { site: site.name })}
      </h2>
      <p className="mt-0.5 mb-4 text-[13px] text-pretty text-ink-muted">
        {t('audit.description', { site: site.name })}
      </p>
      <Filters filter={filter} onChange={setFilter} />
      <Log filter={filter} onClear={() => setFilter({})} />
    </section>
  );
}

const isFiltered = ({ noun, actor }: AuditFilter) => noun !== undefined || actor !== undefined;

function Filters({ filter, onChange }: { filter: AuditFilter; onChange: (filter: AuditFilter) => void }) {
  const { t } = useTranslation('settings');
  const actors = useAuditActors().data ?? [];
  const nameOf = useActorName();
  return (
    <div data-filters className="mb-4 grid grid-cols-2 items-end gap-3 sm:flex">
      <div className="min-w-0 sm:w-48">
        <SelectField
          label={t('audit.filter.noun')}
          options={[
            { value: ANY, label: t('audit.filter.everything') },
            ...AUDIT_NOUNS.map((value) => ({ value, label: t(`audit.noun.${value}`) })),
          ]}
          value={filter.noun ?? ANY}
          onChange={(noun) => onChange({ ...filter, noun: noun === ANY ? undefined : noun })}
        />
      </div>
      <div className="min-w-0 sm:w-48">
        <SelectField
          label={t('audit.filter.actor')}
          options={[
            { value: ANY, label: t('audit.filter.everybody') },
            ...actors.flatMap((actor) =>
              actor.id === null ? [] : [{ value: actor.id, label: nameOf(actor) }],
            ),
          ]}
          value={filter.actor ?? ANY}
          onChange={(id) => onChange({ ...filter, actor: id === ANY ? undefined : id })}
        />
      </div>
      {isFiltered(filter) && <FilterActions onClear={() => onChange({})} />}
    </div>
  );
}

function Log({ filter, onClear }: { filter: AuditFilter; onClear: () => void }) {
  const { t } = useTranslation(['settings', 'ui']);
  const query = useAuditLog(filter);
  if (query.isPending) return <Skeleton count={6} />;
  if (query.isLoadingError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const entries = query.data.pages.flatMap((page) => page.results);
  if (entries.length === 0) {
    return isFiltered(filter) ? (
      <EmptyState
        icon={<ScrollText />}
        title={t('audit.nothing_title')}
        text={t('audit.nothing_text')}
        action={<Button onPress={onClear}>{t('ui:clear_filters')}</Button>}
      />
    ) : (
      <EmptyState
        art={<EvidenceScene />}
        title={t('audit.empty_title')}
        text={t('audit.empty_text')}
        example={t('audit.empty_example')}
      />
    );
  }
  return (
    <>
      <ol className="divide-y divide-line rounded-lg border border-line bg-surface">
        {entries.map((entry) => (
          <AuditRow key={entry.id} entry={entry} />
        ))}
      </ol>
      <div className="mt-4 flex justify-center empty:hidden">
        <LoadMore query={query} label={t('audit.more')} />
      </div>
    </>
  );
}
