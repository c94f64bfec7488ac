import { Controller } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { Operator } from '#contract/operator.ts';
import { FormError } from '#web/ui/FormError.tsx';
import { FormTextField } from '#web/ui/FormTextField.tsx';
import { TextAreaField } from '#web/ui/TextAreaField.tsx';
import { useSite } from '../../site/current-site.tsx';
import { isOptionalLink } from './operator.logic.ts';
import { SettingsCard, useSettingsForm } from './SettingsForm.tsx';

const LINKS = ['privacy_url', 'imprint_url'] as const;

/** Who is behind the site's pages and emails. */
export function OperatorCard() {
  const { t } = useTranslation('site');
  const { site } = useSite();
  const form = useSettingsForm<Operator>(site.operator, (typed) => {
    const operator: Operator = {
      legal_name: typed.legal_name.trim(),
      postal_address: typed.postal_address.trim(),
      privacy_url: typed.privacy_url.trim(),
      imprint_url: typed.imprint_url.trim(),
    };
    return { changes: { operator }, values: operator, done: t('operator.saved') };
  });

  return (
    <SettingsCard
      title={t('operator.title')}
      description={t('operator.description')}
      form={form}
      saveLabel={t('email.save')}
    >
      <div className="flex flex-col gap-4">
        <FormTextField
          control={form.control}
          name="legal_name"
          label={t('operator.legal_name')}
          description={t('operator.legal_name_hint')}
          autoComplete="organization"
          maxLength={200}
        />
        <Controller
          control={form.control}
          name="postal_address"
          render={({ field }) => (
            <TextAreaField
              label={t('operator.postal_address')}
              autoComplete="off"
              maxLength={500}
              value={field.value}
              onChange={field.onChange}
              onBlur={field.onBlur}
              ref={field.ref}
            />
          )}
        />
        {LINKS.map((name) => (
          <FormTextField
            key={name}
            control={form.control}
            name={name}
            rules={{ validate: (value) => isOptionalLink(value) || t('operator.url_invalid') }}
            label={t(`operator.${name}`)}
            {...(name === 'imprint_url' ? { description: t('operator.imprint_url_hint') } : {})}
            placeholder="https://www.example.com"
            type="url"
            autoComplete="off"
            maxLength={2048}
          />
        ))}
        <FormError error={form.error} />
      </div>
    </SettingsCard>
  );
}
