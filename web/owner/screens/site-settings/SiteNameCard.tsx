import { useTranslation } from 'react-i18next';
import { FormError } from '#web/ui/FormError.tsx';
import { FormTextField } from '#web/ui/FormTextField.tsx';
import { useSite } from '../../site/current-site.tsx';
import { SettingsCard, useSettingsForm } from './SettingsForm.tsx';

export function SiteNameCard() {
  const { t } = useTranslation('site');
  const { site } = useSite();
  const form = useSettingsForm({ name: site.name }, (typed) => {
    const values = { name: typed.name.trim() };
    return { changes: values, values, done: t('name.saved') };
  });
  return (
    <SettingsCard
      title={t('name.title')}
      description={t('name.description')}
      form={form}
      saveLabel={t('email.save')}
    >
      <div className="flex flex-col gap-4">
        <FormTextField
          control={form.control}
          name="name"
          rules={{ validate: (value) => value.trim() !== '' || t('name.missing') }}
          label={t('name.label')}
          autoComplete="off"
          maxLength={100}
        />
        <FormError error={form.error} />
      </div>
    </SettingsCard>
  );
}
