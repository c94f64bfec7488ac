import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#contract/client.ts';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { Form } from '#web/ui/Form.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { FormTextField } from '#web/ui/FormTextField.tsx';
import { useSite } from '../../site/current-site.tsx';
import { PrivateHostWarning, WebsiteWarning } from './DomainWarnings.tsx';
import { useSetDomain } from './domain.api.ts';
import { isPublicDomain } from '../../site/public-domain.ts';
import { toHost } from './domain.logic.ts';

export function AddDomainCard() {
  const { t } = useTranslation('site');
  const { site } = useSite();
  const setDomain = useSetDomain();
  const [error, setError] = useState<unknown>(null);
  const {
    control,
    handleSubmit,
    setError: setFieldError,
    setValue,
    formState,
  } = useForm({ defaultValues: { domain: '' } });

  const typed = useWatch({ control, name: 'domain' });

  function problemOf(cause: unknown): string | undefined {
    const code = cause instanceof ApiError ? cause.errors[0]?.code : undefined;
    if (code === 'invalid_field') return t('domain.invalid');
    if (code === 'reserved_name') return t('domain.reserved');
    return code === 'domain_taken' ? t('domain.taken') : undefined;
  }

  const submit = handleSubmit(async ({ domain }) => {
    setError(null);
    try {
      await setDomain.mutateAsync(toHost(domain));
    } catch (cause) {
      const message = problemOf(cause);
      if (message === undefined) setError(cause);
      else setFieldError('domain', { message }, { shouldFocus: true });
    }
  });

  return (
    <Form onSubmit={submit}>
      <Card
        title={t('domain.title')}
        description={t('domain.description')}
        footer={
          <Button
            type="submit"
            variant="primary"
            isPending={formState.isSubmitting}
            // No record can point to a host that isn't public.
            isDisabled={!isPublicDomain(site.domain_name)}
          >
            {t('domain.add')}
          </Button>
        }
      >
        <div className="flex flex-col gap-4">
          <PrivateHostWarning />
          <FormTextField
            control={control}
            name="domain"
            rules={{ validate: (value) => isPublicDomain(toHost(value) ?? '') || t('domain.invalid') }}
            label={t('domain.label')}
            description={t('domain.hint', { host: site.domain_name })}
            placeholder="preferences.example.com"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck="false"
            inputMode="url"
          />
          <WebsiteWarning
            host={toHost(typed)}
            onUse={(host) => setValue('domain', host, { shouldValidate: true })}
          />
          <FormError error={error} />
        </div>
      </Card>
    </Form>
  );
}
