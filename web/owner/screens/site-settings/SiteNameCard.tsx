import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { FormTextField } from '#web/ui/FormTextField.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useChangeSite } from '../../queries/site-queries.ts';
import { useSite } from '../../site/current-site.tsx';

export function SiteNameCard() {
  const { t } = useTranslation('site');
  const { site } = useSite();
  const change = useChangeSite();
  const [error, setError] = useState<unknown>(null);
  const { control, handleSubmit, formState, reset } = useForm({ defaultValues: { name: site.name } });

  const submit = handleSubmit(async (typed) => {
    setError(null);
    const name = typed.name.trim();
    try {
      await change.mutateAsync({ name });
      reset({ name });
      toast(t('name.saved'));
    } catch (cause) {
      setError(cause);
    }
  });

  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Card
        title={t('name.title')}
        description={t('name.description')}
        footer={
          <Button type="submit" variant="primary" isPending={formState.isSubmitting}>
            {t('email.save')}
          </Button>
        }
      >
        <div className="flex flex-col gap-4">
          <FormTextField
            control={control}
            name="name"
            rules={{ validate: (value) => value.trim() !== '' || t('name.missing') }}
            label={t('name.label')}
            autoComplete="off"
            maxLength={100}
          />
          <FormError error={error} />
        </div>
      </Card>
    </form>
  );
}
