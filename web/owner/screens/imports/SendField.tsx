import { useTranslation } from 'react-i18next';
import { RadioCards } from '#web/ui/RadioCards.tsx';
import { SelectField } from '#web/ui/SelectField.tsx';
import { useActions } from '../../queries/action-queries.ts';
import { useIntegrations } from '../../queries/integration-queries.ts';
import type { Sending } from './imports.logic.ts';

interface SendFieldProps {
  value: Sending;
  onChange: (value: Sending) => void;
  /** People who are read from a tool come from that one. */
  isFile: boolean;
}

const FROM_NONE = 'none';

/** What the site's tools are sent of an import. Without any action there is nothing to ask. */
export function SendField({ value, onChange, isFile }: SendFieldProps) {
  const { t } = useTranslation('imports');
  const integrations = useIntegrations().data ?? [];
  const actions = useActions().data ?? [];
  if (!actions.some(({ enabled }) => enabled)) return null;
  return (
    <div className="flex max-w-2xl flex-col gap-4">
      {isFile && integrations.length > 0 && (
        <div className="max-w-lg">
          <SelectField
            label={t('send.from')}
            description={t('send.from_help')}
            options={[
              { value: FROM_NONE, label: t('send.from_none') },
              ...integrations.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            value={value.exported_from ?? FROM_NONE}
            onChange={(id) => onChange({ ...value, exported_from: id === FROM_NONE ? null : id })}
          />
        </div>
      )}
      <RadioCards
        label={t('send.label')}
        columns={2}
        options={[
          { value: 'no', label: t('send.no'), description: t('send.no_help') },
          { value: 'yes', label: t('send.yes'), description: t('send.yes_help') },
        ]}
        value={value.send_subscriptions ? 'yes' : 'no'}
        onChange={(answer) => onChange({ ...value, send_subscriptions: answer === 'yes' })}
      />
    </div>
  );
}
