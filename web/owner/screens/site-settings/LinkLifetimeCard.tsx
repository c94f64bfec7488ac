import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { FormTextField } from '#web/ui/FormTextField.tsx';
import { toast } from '#web/ui/toast.tsx';
import { NeedsEmail } from '../../parts/NeedsEmail.tsx';
import { useSite } from '../../site.tsx';
import { useSetLinkLifetime } from './link-lifetime.api.ts';
import { LINK_LIFETIME_DAYS, toDays } from './link-lifetime.logic.ts';

/** How long a personal link proves its customer. */
export function LinkLifetimeCard() {
  const { t } = useTranslation('site');
  const { site } = useSite();
  const setLifetime = useSetLinkLifetime();
  const [error, setError] = useState<unknown>(null);
  const { control, handleSubmit, formState, reset } = useForm({
    defaultValues: { days: String(site.link_lifetime_days) },
  });

  const submit = handleSubmit(async ({ days }) => {
    setError(null);
    const count = toDays(days);
    if (count === null) return;
    try {
      await setLifetime.mutateAsync(count);
      reset({ days: String(count) });
      toast(t('links.saved', { count }));
    } catch (cause) {
      setError(cause);
    }
  });

  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Card
        title={t('links.title')}
        description={t('links.description')}
        footer={
          <Button type="submit" variant="primary" isPending={formState.isSubmitting}>
            {t('links.save')}
          </Button>
        }
      >
        <div className="flex flex-col gap-4">
          <NeedsEmail />
          <FormTextField
            control={control}
            name="days"
            rules={{ validate: (value) => toDays(value) !== null || t('links.invalid', LINK_LIFETIME_DAYS) }}
            label={t('links.label')}
            description={t('links.hint', LINK_LIFETIME_DAYS)}
            autoComplete="off"
            inputMode="numeric"
            maxLength={3}
          />
          <FormError error={error} />
        </div>
      </Card>
    </form>
  );
}
