import { useTranslation } from 'react-i18next';
import { LANGUAGES, type Language } from '#contract/fields.ts';
import { SelectField } from '#web/ui/SelectField.tsx';
import { useLanguageChoice } from '../i18n.ts';
import { LANGUAGE_NAMES } from '../language.logic.ts';
import { chooseLanguage } from '../preferences.ts';

const BROWSER_DEFAULT = 'default';

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
