import { ListFilter } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { CUSTOMER_STATES, type CustomerFilter } from '#contract/customers.ts';
import { TEST_FILTERS } from '#contract/fields.ts';
import { Button } from '#web/ui/Button.tsx';
import { PopoverPanel } from '#web/ui/PopoverPanel.tsx';
import { SelectField, type SelectFieldProps, type SelectOption } from '#web/ui/SelectField.tsx';
import { TextField } from '#web/ui/TextField.tsx';
import { FilterActions } from '../../components/FilterActions.tsx';
import { FilterChip } from '../../components/FilterChip.tsx';
import { useUtcDay } from '../../components/RelativeTime.tsx';
import { TestFilter } from '../../components/TestFilter.tsx';
import { useIntegrations } from '../../queries/integration-queries.ts';
import { useLists } from '../../queries/list-queries.ts';
import { FILTER_NAMES, type FilterName, startOfDay } from './customer-filter.logic.ts';

interface FilterProps {
  filter: CustomerFilter;
  onChange: (filter: CustomerFilter) => void;
}

const ANY = 'any';

/** What can be chosen for each filter that is no date; undefined while it is not known. */
function useOptions() {
  const { t } = useTranslation(['customer-filters', 'customers', 'test-mode']);
  const lists = useLists().data?.map(({ id, name }) => ({ value: id, label: name }));
  const tools = useIntegrations().data?.map(({ id, name }) => ({ value: id, label: name }));
  return {
    receives_list_id: lists,
    left_list_id: lists,
    state: CUSTOMER_STATES.map((value) => ({ value, label: t(`customers:state.${value}`) })),
    undelivered_to: tools,
    test: TEST_FILTERS.map((value) => ({ value, label: t(`test-mode:filter.${value}`) })),
  };
}

/** The button, with the fields behind it. A choice counts at once. */
export function FilterButton({ filter, onChange }: FilterProps) {
  const { t } = useTranslation('customer-filters');
  const options = useOptions();
  const set = (changes: Partial<CustomerFilter>) => onChange({ ...filter, ...changes });
  return (
    <PopoverPanel label={t('title')} trigger={<Button icon={<ListFilter />}>{t('button')}</Button>}>
      <Choice
        label={t('name.receives_list_id')}
        options={options.receives_list_id}
        value={filter.receives_list_id}
        onChange={(id) => set({ receives_list_id: id })}
      />
      <Choice
        label={t('name.left_list_id')}
        options={options.left_list_id}
        value={filter.left_list_id}
        onChange={(id) => set({ left_list_id: id })}
      />
      <Choice
        label={t('name.state')}
        options={options.state}
        value={filter.state}
        onChange={(state) => set({ state })}
      />
      <Choice
        label={t('name.undelivered_to')}
        description={t('undelivered_help')}
        options={options.undelivered_to}
        value={filter.undelivered_to}
        onChange={(id) => set({ undelivered_to: id })}
      />
      <div className="grid grid-cols-2 gap-3">
        <Day
          label={t('name.added_since')}
          value={filter.added_since}
          onChange={(since) => set({ added_since: since })}
        />
        <Day
          label={t('name.changed_since')}
          value={filter.changed_since}
          onChange={(since) => set({ changed_since: since })}
        />
      </div>
      <TestFilter isWide value={filter.test} onChange={(test) => set({ test })} />
    </PopoverPanel>
  );
}

function Choice<Value extends string>({
  value,
  onChange,
  options,
  ...texts
}: Pick<SelectFieldProps<Value>, 'label' | 'description'> & {
  options: readonly SelectOption<Value>[] | undefined;
  value: Value | undefined;
  onChange: (value: Value | undefined) => void;
}) {
  const { t } = useTranslation('customer-filters');
  if (options === undefined || options.length === 0) return null;
  return (
    <SelectField<Value | typeof ANY>
      {...texts}
      options={[{ value: ANY, label: t('any') }, ...options]}
      value={value ?? ANY}
      onChange={(chosen) => onChange(chosen === ANY ? undefined : chosen)}
    />
  );
}

function Day({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string | undefined;
  onChange: (since: string | undefined) => void;
}) {
  return (
    <TextField
      label={label}
      type="date"
      defaultValue={value?.slice(0, 10) ?? ''}
      onChange={(date) => onChange(startOfDay(date))}
    />
  );
}

/** The filters that are on, each to be removed, or all. */
export function FilterChips({ filter, onChange }: FilterProps) {
  const { t } = useTranslation(['customer-filters', 'test-mode']);
  const options = useOptions();
  const day = useUtcDay();
  const on = FILTER_NAMES.filter((name) => filter[name] !== undefined);
  if (on.length === 0) return null;

  const labelOf = (name: FilterName) => (name === 'test' ? t('test-mode:filter.label') : t(`name.${name}`));

  function valueOf(name: FilterName, value: string): string | undefined {
    if (name === 'added_since' || name === 'changed_since') return day(value);
    const known = options[name];
    const gone = name === 'undelivered_to' ? 'gone.tool' : 'gone.list';
    return known && (known.find((one) => one.value === value)?.label ?? t(gone));
  }

  function chipOf(name: FilterName): string {
    const value = valueOf(name, filter[name] ?? '');
    return value === undefined ? labelOf(name) : t('chip', { name: labelOf(name), value });
  }

  return (
    <div className="mb-4 flex flex-wrap items-center gap-2">
      {on.map((name) => (
        <FilterChip
          key={name}
          label={chipOf(name)}
          onClear={() => onChange({ ...filter, [name]: undefined })}
        />
      ))}
      <FilterActions onClear={() => onChange({})} />
    </div>
  );
}
