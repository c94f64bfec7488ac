import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LANGUAGES } from '#contract/fields.ts';
import type { Site } from '#contract/sites.ts';
import { Card } from '#web/ui/Card.tsx';
import { MultiSelectField } from '#web/ui/MultiSelectField.tsx';
import { SelectField } from '#web/ui/SelectField.tsx';
import { TextField } from '#web/ui/TextField.tsx';
import { LANGUAGE_NAMES } from '../../i18n/language.logic.ts';
import { suggestedPath } from './pages.logic.ts';
import { type CheckedSectionProps, memoSection, type SectionProps } from './memo-section.ts';

interface PageSectionProps extends CheckedSectionProps {
  site: Site;
  isNew: boolean;
}

const options = LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }));

/** Name, address and languages. A new page's address follows its name until it is written by hand. */
export const PageSection = memoSection(PageFields, ({ name, custom_path, active_languages, attrs }) => [
  name,
  custom_path,
  active_languages,
  attrs.language,
]);

function PageFields({ form, dispatch, errors, site, isNew }: PageSectionProps) {
  const { t } = useTranslation('pages');
  const [isPathOwn, setIsPathOwn] = useState(!isNew);

  function setName(name: string) {
    const path = isPathOwn ? {} : { custom_path: suggestedPath(name) };
    dispatch({ type: 'set', values: { name, ...path } });
  }

  function setPath(custom_path: string) {
    setIsPathOwn(custom_path !== '');
    dispatch({ type: 'set', values: { custom_path } });
  }

  return (
    <Card title={t('section.page')}>
      <div className="flex flex-col gap-5">
        <div data-page-field="name">
          <TextField
            label={t('field.name')}
            description={t('field.name_help')}
            value={form.name}
            onChange={setName}
            maxLength={100}
            errorMessage={errors.name}
          />
        </div>
        <div data-page-field="custom_path">
          <TextField
            label={t('field.path')}
            description={
              <span className="wrap-anywhere">{`${site.url}/${form.custom_path.trim().toLowerCase()}`}</span>
            }
            value={form.custom_path}
            onChange={setPath}
            autoCapitalize="none"
            autoComplete="off"
            spellCheck="false"
            errorMessage={errors.custom_path}
          />
        </div>
        <Languages form={form} dispatch={dispatch} />
      </div>
    </Card>
  );
}

const Languages = memoSection(
  function LanguageFields({ form, dispatch }: SectionProps) {
    const { t } = useTranslation('pages');
    const { language } = form.attrs;
    return (
      <div className="grid gap-5 sm:grid-cols-2">
        <SelectField
          label={t('field.language')}
          description={t('field.language_help')}
          options={options}
          value={language}
          onChange={(chosen) => dispatch({ type: 'set', values: { attrs: { language: chosen } } })}
        />
        <MultiSelectField
          label={t('field.active_languages')}
          description={t('field.active_languages_help')}
          options={options.filter((option) => option.value !== language)}
          value={form.active_languages}
          onChange={(active_languages) => dispatch({ type: 'set', values: { active_languages } })}
          summary={
            form.active_languages.map((one) => LANGUAGE_NAMES[one]).join(', ') || t('field.no_language')
          }
        />
      </div>
    );
  },
  ({ active_languages, attrs }) => [active_languages, attrs.language],
);
