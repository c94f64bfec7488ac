import { useTranslation } from 'react-i18next';
import { Notice } from '#web/ui/Notice.tsx';
import { SwitchField } from '#web/ui/SwitchField.tsx';

interface ReviveFieldProps {
  isSelected: boolean;
  onChange: (isSelected: boolean) => void;
}

/** Whether unsubscribed customers may be resubscribed. */
export function ReviveField({ isSelected, onChange }: ReviveFieldProps) {
  const { t } = useTranslation('imports');
  return (
    <div className="flex flex-col gap-3">
      <SwitchField
        label={t('revive.label')}
        description={t('revive.help')}
        isSelected={isSelected}
        onChange={onChange}
      />
      {isSelected && (
        <div role="status">
          <Notice tone="warning">{t('revive.warning')}</Notice>
        </div>
      )}
    </div>
  );
}
