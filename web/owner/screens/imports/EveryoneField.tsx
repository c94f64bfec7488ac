import { useTranslation } from 'react-i18next';
import type { List } from '#contract/lists.ts';
import { SelectField } from '#web/ui/SelectField.tsx';
import type { Everyone } from './imports.logic.ts';

interface EveryoneFieldProps {
  /** Those that no column is about. */
  lists: readonly Pick<List, 'id' | 'name'>[];
  value: Everyone;
  onChange: (value: Everyone) => void;
}

/** What the file says about everybody in it, where no column does. */
export function EveryoneField({ lists, value, onChange }: EveryoneFieldProps) {
  const { t } = useTranslation('imports');
  const ofLists = (state: 'subscribed' | 'unsubscribed') =>
    lists.map(({ id, name }) => ({ value: `${state}:${id}`, label: t(`everyone.${state}`, { name }) }));
  return (
    <div className="max-w-lg">
      <SelectField<Everyone>
        label={t('everyone.label')}
        description={t('everyone.help')}
        options={[
          { value: 'none', label: t('everyone.none') },
          ...ofLists('subscribed'),
          ...ofLists('unsubscribed'),
          { value: 'unsubscribed', label: t('everyone.unsubscribed_all') },
          { value: 'bounced', label: t('everyone.bounced') },
          { value: 'complained', label: t('everyone.complained') },
        ]}
        value={value}
        onChange={onChange}
      />
    </div>
  );
}
