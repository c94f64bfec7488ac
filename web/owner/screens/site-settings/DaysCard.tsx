import { useTranslation } from 'react-i18next';
import { FormError } from '#web/ui/FormError.tsx';
import { FormTextField } from '#web/ui/FormTextField.tsx';
import { useSite } from '../../site/current-site.tsx';
import { DELIVERY_CONTENT_DAYS, LINK_LIFETIME_DAYS, toDays } from './days.logic.ts';
import { SettingsCard, useSettingsForm } from './SettingsForm.tsx';

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
  const form = useSettingsForm({ days: String(site[setting]) }, ({ days }) => {
    const count = toDays(days, limits) ?? site[setting];
    return {
      changes: { [setting]: count },
      values: { days: String(count) },
      done: t(`${texts}.saved`, { count }),
    };
  });

  return (
    <SettingsCard
      title={t(`${texts}.title`)}
      description={t(`${texts}.description`)}
      form={form}
      saveLabel={t(`${texts}.save`)}
    >
      <div className="flex flex-col gap-4">
        <FormTextField
          control={form.control}
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
        <FormError error={form.error} />
      </div>
    </SettingsCard>
  );
}
