import { useState } from 'react';
import { Controller, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { Operator } from '#contract/operator.ts';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { FormTextField } from '#web/ui/FormTextField.tsx';
import { TextAreaField } from '#web/ui/TextAreaField.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useChangeSite } from '../../queries/site-queries.ts';
import { useSite } from '../../site/current-site.tsx';
import { isOptionalLink } from './operator.logic.ts';

const LINKS = ['privacy_url', 'imprint_url'] as const;

/** Who is behind the site's pages and emails. */
export function OperatorCard() {
  const { t } = useTranslation('site');
  const { site } = useSite();
  const change = useChangeSite();
  const [error, setError] = useState<unknown>(null);
  const { control, handleSubmit, formState, reset } = useForm<Operator>({ defaultValues: site.operator });

  const submit = handleSubmit(async (typed) => {
    setError(null);
    const operator: Operator = {
      legal_name: typed.legal_name.trim(),
      postal_address: typed.postal_address.trim(),
      privacy_url: typed.privacy_url.trim(),
      imprint_url: typed.imprint_url.trim(),
    };
    try {
      await change.mutateAsync({ operator });
      reset(operator);
      toast(t('operator.saved'));
    } catch (cause) {
      setError(cause);
    }
  });

  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Card
        title={t('operator.title')}
        description={t('operator.description')}
        footer={
          <Button type="submit" variant="primary" isPending={formState.isSubmitting}>
            {t('email.save')}
          </Button>
        }
      >
        <div className="flex flex-col gap-4">
          <FormTextField
            control={control}
            name="legal_name"
            label={t('operator.legal_name')}
            description={t('operator.legal_name_hint')}
            autoComplete="organization"
            maxLength={200}
          />
          <Controller
            control={control}
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
              control={control}
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
          <FormError error={error} />
        </div>
      </Card>
    </form>
  );
}
