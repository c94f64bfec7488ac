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
import { DELIVERY_CONTENT_DAYS, LINK_LIFETIME_DAYS, toDays } from './days.logic.ts';

/** How long a personal link proves its customer. */
export function LinkLifetimeCard() {
  return <DaysCard setting="link_lifetime_days" texts="links" limits={LINK_LIFETIME_DAYS} />;
}

/** How long the content of requests and responses is stored after a delivery has arrived. */
export function DeliveryContentCard() {
  return <DaysCard setting="delivery_content_days" texts="delivery_content" limits={DELIVERY_CONTENT_DAYS} />;
}

interface DaysCardProps {
  setting: 'link_lifetime_days' | 'delivery_content_days';
  texts: 'links' | 'delivery_content';
  limits: { least: number; most: number };
}

function DaysCard({ setting, texts, limits }: DaysCardProps) {
  const { t } = useTranslation('site');
  const { site } = useSite();
  const change = useChangeSite();
  const [error, setError] = useState<unknown>(null);
  const { control, handleSubmit, formState, reset } = useForm({
    defaultValues: { days: String(site[setting]) },
  });

  const submit = handleSubmit(async ({ days }) => {
    setError(null);
    const count = toDays(days, limits);
    if (count === null) return;
    try {
      await change.mutateAsync({ [setting]: count });
      reset({ days: String(count) });
      toast(t(`${texts}.saved`, { count }));
    } catch (cause) {
      setError(cause);
    }
  });

  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Card
        title={t(`${texts}.title`)}
        description={t(`${texts}.description`)}
        footer={
          <Button type="submit" variant="primary" isPending={formState.isSubmitting}>
            {t(`${texts}.save`)}
          </Button>
        }
      >
        <div className="flex flex-col gap-4">
          <FormTextField
            control={control}
            name="days"
            rules={{
              validate: (value) => toDays(value, limits) !== null || t(`${texts}.invalid`, limits),
            }}
            label={t(`${texts}.label`)}
            description={t(`${texts}.hint`, limits)}
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
