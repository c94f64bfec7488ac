import { useNavigate, useSearch } from '@tanstack/react-router';
import { FileCheck2, X } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { LEAVE_REASONS, type Move, MOVES } from '#contract/choices.ts';
import { VERDICTS } from '#contract/judgements.ts';
import { Button } from '#web/ui/Button.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { SelectField } from '#web/ui/SelectField.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { usePermission } from '../../account/permissions.ts';
import { FilterActions } from '../../components/FilterActions.tsx';
import { LoadMore } from '../../components/LoadMore.tsx';
import { EvidenceScene } from '../../components/scenes/scenes.tsx';
import { BackLink } from '../../components/BackLink.tsx';
import { SinceFilter } from '../../components/SinceFilter.tsx';
import { TestFilter } from '../../components/TestFilter.tsx';
import { ProofMenu } from '../customers/ProofMenu.tsx';
import { Choices } from '../customers/Timeline.tsx';
import { useLists } from '../../queries/list-queries.ts';
import { EvidenceAlert, EvidenceChecked, EvidenceSigned } from './EvidenceAlert.tsx';
import { type EvidenceFilter, useChoices } from './evidence.api.ts';

export { prefetchEvidence as prefetch } from './evidence.api.ts';

const ANY = 'any';

/** Saves that chose something: the rows behind the figure. */
const CHOSE = 'chose';

/** One menu sets two filters: what moved somebody also chose something. */
function whatHappened(value: Move | typeof CHOSE | typeof ANY): Pick<EvidenceFilter, 'chose' | 'move'> {
  if (value === ANY) return { chose: undefined, move: undefined };
  return value === CHOSE ? { chose: 'true', move: undefined } : { chose: undefined, move: value };
}

const isFiltered = (filter: EvidenceFilter) => Object.values(filter).some((value) => value !== undefined);

/** All choices of the site: the rows behind the figures. */
export function EvidenceScreen() {
  const { t } = useTranslation('evidence-check');
  const navigate = useNavigate();
  const filter = useSearch({ from: '/shell/evidence' });
  const canExport = usePermission('admin');
  const setFilter = (search: EvidenceFilter) => void navigate({ to: '/evidence', search, replace: true });
  return (
    <>
      <PageHeader
        title={t('screen.title')}
        description={t('screen.subtitle')}
        back={<BackLink to="/dashboard">{t('screen.back')}</BackLink>}
        action={canExport && <ProofMenu customerId={null} />}
      />
      <div className="mb-4 empty:hidden">
        <EvidenceAlert />
      </div>
      <Filters filter={filter} onChange={setFilter} />
      <Log filter={filter} onClear={() => setFilter({})} />
      <EvidenceChecked />
      <EvidenceSigned />
    </>
  );
}

interface FiltersProps {
  filter: EvidenceFilter;
  onChange: (filter: EvidenceFilter) => void;
}

function Filters({ filter, onChange }: FiltersProps) {
  const { t } = useTranslation(['evidence-check', 'figures', 'customers', 'deliveries']);
  const lists = useLists().data ?? [];
  const chosen = <Value extends string>(value: Value | typeof ANY) => (value === ANY ? undefined : value);
  return (
    <div data-filters className="mb-4 grid grid-cols-2 items-end gap-3 sm:flex sm:flex-wrap">
      <div className="sm:w-56">
        <SelectField
          label={t('screen.move')}
          options={[
            { value: ANY, label: t('screen.any_move') },
            { value: CHOSE, label: t('screen.chose') },
            ...MOVES.map((value) => ({ value, label: t(`screen.${value}`) })),
          ]}
          value={filter.move ?? (filter.chose ? CHOSE : ANY)}
          onChange={(value) => onChange({ ...filter, ...whatHappened(value) })}
        />
      </div>
      <div className="sm:w-56">
        <SelectField
          label={t('figures:over_time.list')}
          options={[
            { value: ANY, label: t('figures:over_time.all_lists') },
            ...lists.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          value={filter.list_id ?? ANY}
          onChange={(id) => onChange({ ...filter, list_id: chosen(id) })}
        />
      </div>
      <div className="col-span-2 sm:w-56">
        <SelectField
          label={t('screen.reason')}
          options={[
            { value: ANY, label: t('screen.any_reason') },
            ...LEAVE_REASONS.map((value) => ({ value, label: t(`customers:reason.${value}`) })),
          ]}
          value={filter.reason ?? ANY}
          onChange={(reason) => onChange({ ...filter, reason: chosen(reason) })}
        />
      </div>
      <div className="col-span-2 sm:w-56">
        <SelectField
          label={t('deliveries:judgement.made_by')}
          options={[
            { value: ANY, label: t('deliveries:judgement.anyone') },
            ...VERDICTS.map((value) => ({ value, label: t(`deliveries:judgement.${value}`) })),
          ]}
          value={filter.verdict ?? ANY}
          onChange={(verdict) => onChange({ ...filter, verdict: chosen(verdict) })}
        />
      </div>
      <TestFilter value={filter.test} onChange={(test) => onChange({ ...filter, test })} />
      {filter.since !== undefined && (
        <div className="col-span-2">
          <SinceFilter since={filter.since} onClear={() => onChange({ ...filter, since: undefined })} />
        </div>
      )}
      {isFiltered(filter) && <FilterActions onClear={() => onChange({})} />}
    </div>
  );
}

function Log({ filter, onClear }: { filter: EvidenceFilter; onClear: () => void }) {
  const { t } = useTranslation(['evidence-check', 'customers', 'deliveries', 'ui']);
  const query = useChoices(filter);
  if (query.isPending) return <Skeleton count={6} />;
  if (query.isLoadingError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const choices = query.data.pages.flatMap((page) => page.results);
  const more = query.hasNextPage && <LoadMore query={query} label={t('customers:more')} />;
  // Judgements aren't stored: one call looks through as many choices as it may, and finds none among them.
  if (choices.length === 0 && query.hasNextPage) {
    return (
      <EmptyState
        icon={<FileCheck2 />}
        title={t('deliveries:judgement.none_yet')}
        text={t('deliveries:judgement.none_yet_text')}
        action={more}
      />
    );
  }
  if (choices.length === 0) {
    return isFiltered(filter) ? (
      <EmptyState
        icon={<FileCheck2 />}
        title={t('screen.nothing_matches')}
        text={t('screen.nothing_matches_text')}
        action={
          <Button icon={<X />} onPress={onClear}>
            {t('ui:clear_filters')}
          </Button>
        }
      />
    ) : (
      <EmptyState art={<EvidenceScene />} title={t('screen.none')} text={t('screen.none_text')} />
    );
  }
  return (
    <div className="rounded-lg border border-line bg-surface">
      <Choices label={t('screen.title')} choices={choices} isOfMany more={more} />
    </div>
  );
}
