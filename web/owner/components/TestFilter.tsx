import { useTranslation } from 'react-i18next';
import { TEST_FILTERS, type TestFilterValue } from '#contract/fields.ts';
import { SelectField } from '#web/ui/SelectField.tsx';
import { useSite } from '../site/current-site.tsx';

const ALL = 'all';

interface TestFilterProps {
  value: TestFilterValue;
  onChange: (value: TestFilterValue) => void;
  /** As wide as what it is in. */
  isWide?: boolean;
}

/** Shows only what belongs to test customers, or everything else; nothing on a site without tests. */
export function TestFilter({ value, onChange, isWide = false }: TestFilterProps) {
  const { t } = useTranslation('test-mode');
  const { site } = useSite();
  if (value === undefined && !site.test_mode && site.test_emails.length === 0) return null;
  return (
    <div className={isWide ? '' : 'sm:w-44'}>
      <SelectField
        label={t('filter.label')}
        options={[
          { value: ALL, label: t('filter.all') },
          ...TEST_FILTERS.map((one) => ({ value: one, label: t(`filter.${one}`) })),
        ]}
        value={value ?? ALL}
        onChange={(chosen) => onChange(chosen === ALL ? undefined : chosen)}
      />
    </div>
  );
}
