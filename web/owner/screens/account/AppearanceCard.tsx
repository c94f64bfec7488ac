import { useTranslation } from 'react-i18next';
import { Card } from '#web/ui/Card.tsx';
import { RadioCards } from '#web/ui/RadioCards.tsx';
import { chooseTheme } from '../../preferences/preferences.ts';
import { LanguagePicker } from '../../preferences/LanguagePicker.tsx';
import { THEMES, useTheme } from '../../preferences/theme.ts';

/** Applies immediately, without a save button. */
export function AppearanceCard() {
  const { t } = useTranslation('account');
  const theme = useTheme();
  return (
    <Card title={t('appearance.title')} description={t('appearance.description')}>
      <div className="flex flex-col gap-5">
        <LanguagePicker />
        <RadioCards
          label={t('appearance.theme')}
          columns={3}
          value={theme}
          onChange={chooseTheme}
          options={THEMES.map((one) => ({ value: one, label: t(`appearance.themes.${one}`) }))}
        />
      </div>
    </Card>
  );
}
