import { useTranslation } from 'react-i18next';
import { LANGUAGES, type Language } from '#contract/fields.ts';
import { SelectField } from '#web/ui/SelectField.tsx';
import { useLanguageChoice } from '../i18n/i18n.ts';
import { LANGUAGE_NAMES } from '../i18n/language.logic.ts';
import { BROWSER_DEFAULT, chooseLanguage } from './preferences.ts';

export function LanguagePicker() {
  const { t } = useTranslation('shell');
  const options: { value: Language | typeof BROWSER_DEFAULT; label: string }[] = [
    { value: BROWSER_DEFAULT, label: t('browser_default') },
    ...LANGUAGES.map((language) => ({ value: language, label: LANGUAGE_NAMES[language] })),
  ];
  return (
    <SelectField
      label={t('language')}
      options={options}
      value={useLanguageChoice() ?? BROWSER_DEFAULT}
      onChange={(value) => chooseLanguage(value === BROWSER_DEFAULT ? null : value)}
    />
  );
}
