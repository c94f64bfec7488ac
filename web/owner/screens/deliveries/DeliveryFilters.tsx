import { useTranslation } from 'react-i18next';
import { DELIVERY_STATUSES } from '#contract/deliveries.ts';
import { SelectField } from '#web/ui/SelectField.tsx';
import { useActions } from '../../queries/action-queries.ts';
import { FilterActions } from '../../components/FilterActions.tsx';
import { SinceFilter } from '../../components/SinceFilter.tsx';
import { TestFilter } from '../../components/TestFilter.tsx';
import type { DeliveryFilter } from './deliveries.api.ts';

const ANY = 'any';
const LATE = 'late';
const UNCONFIRMED = 'unconfirmed';

interface DeliveryFiltersProps {
  filter: DeliveryFilter;
  onChange: (filter: DeliveryFilter) => void;
}

function chosenOf({ status, late, unconfirmed }: DeliveryFilter) {
  if (unconfirmed !== undefined) return UNCONFIRMED;
  return late === undefined ? (status ?? ANY) : LATE;
}

export function DeliveryFilters({ filter, onChange }: DeliveryFiltersProps) {
  const { t } = useTranslation(['deliveries', 'figures']);
  const actions = useActions().data ?? [];
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return (
    <div data-filters className="mb-4 grid grid-cols-2 items-end gap-3 sm:flex">
      <div className="sm:w-44">
        <SelectField
          deferRender
          label={t('filter.status')}
          options={[
            { value: ANY, label: t('filter.all') },
            ...DELIVERY_STATUSES.map((value) => ({ value, label: t(`status.${value}`) })),
            { value: UNCONFIRMED, label: t('filter.unconfirmed') },
            { value: LATE, label: t('figures:deliveries.late') },
          ]}
          value={chosenOf(filter)}
          onChange={(chosen) =>
            onChange({
              ...filter,
              status: DELIVERY_STATUSES.find((one) => one === chosen),
              late: chosen === LATE ? 'true' : undefined,
              unconfirmed: chosen === UNCONFIRMED ? 'true' : undefined,
            })
          }
        />
      </div>
      <div className="sm:w-64">
        <SelectField
          deferRender
          label={t('filter.action')}
          options={[
            { value: ANY, label: t('filter.all_actions') },
            ...actions.map((action) => ({ value: action.id, label: action.name })),
          ]}
          value={filter.action_id ?? ANY}
          onChange={(id) => onChange({ ...filter, action_id: id === ANY ? undefined : id })}
        />
      </div>
      <TestFilter value={filter.test} onChange={(test) => onChange({ ...filter, test })} />
      {filter.since !== undefined && (
        <div className="col-span-2">
          <SinceFilter since={filter.since} onClear={() => onChange({ ...filter, since: undefined })} />
        </div>
      )}
      {isFiltered && <FilterActions onClear={() => onChange({})} />}
    </div>
  );
}
