import { Languages as LanguagesIcon } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { LANGUAGES } from '#contract/fields.ts';
import { suggestedPath } from '#contract/preference-pages.ts';
import type { Site } from '#contract/sites.ts';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { moveFocus } from '#web/ui/move-focus.ts';
import { MultiSelectField } from '#web/ui/MultiSelectField.tsx';
import { SelectField } from '#web/ui/SelectField.tsx';
import { TextField } from '#web/ui/TextField.tsx';
import { languageName } from '../../i18n/language-name.ts';
import { useLanguage } from '../../i18n/i18n.ts';
import { LANGUAGE_NAMES } from '../../i18n/language.logic.ts';
import { missingLanguages } from './pages.logic.ts';
import { type CheckedSectionProps, memoSection, type SectionProps } from './memo-section.ts';

interface PageSectionProps extends CheckedSectionProps {
  site: Site;
  isNew: boolean;
}

const options = LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }));

/** Name, address and languages. A new page's address follows its name until it is written by hand. */
export const PageSection = memoSection(
  PageFields,
  ({ name, custom_path, active_languages, attrs, lists }) => [
    name,
    custom_path,
    active_languages,
    attrs.language,
    lists,
  ],
);

function PageFields({ form, dispatch, errors, site, isNew }: PageSectionProps) {
  const { t } = useTranslation('pages');
  const isSuggested = form.custom_path === '' || form.custom_path === suggestedPath(form.name);

  function setName(name: string) {
    const path = isNew && isSuggested ? { custom_path: suggestedPath(name) } : {};
    dispatch({ type: 'set', values: { name, ...path } });
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
            onChange={(custom_path) => dispatch({ type: 'set', values: { custom_path } })}
            autoCapitalize="none"
            autoComplete="off"
            spellCheck="false"
            errorMessage={errors.custom_path}
          />
        </div>
        <Languages form={form} dispatch={dispatch} />
        <MissingLanguages form={form} dispatch={dispatch} />
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
        <div data-page-field="active_languages" className="min-w-0">
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
      </div>
    );
  },
  ({ active_languages, attrs }) => [active_languages, attrs.language],
);

/** When its language is added: to the next offer, or else to the field that shows what was added. */
const moveFocusOn = moveFocus((from) => {
  const offer = from.nextElementSibling ?? from.previousElementSibling;
  const field = from.closest('section')?.querySelector('[data-page-field="active_languages"]');
  return [offer?.querySelector('button'), field?.querySelector('button')];
});

/** Offers the languages that the page's lists are translated into. */
function MissingLanguages({ form, dispatch }: SectionProps) {
  const { t } = useTranslation('pages');
  const shown = useLanguage();
  const missing = missingLanguages(form);
  if (missing.length === 0) return null;
  return (
    <ul className="flex flex-col divide-y divide-line rounded-lg border border-line">
      {missing.map(({ language, lists: [list = '', ...others] }) => {
        const name = languageName(language, shown);
        return (
          <li
            key={language}
            ref={moveFocusOn}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5 pr-1.5 pl-3.5"
          >
            <LanguagesIcon size={16} aria-hidden className="shrink-0 text-ink-muted" />
            <span className="min-w-0 flex-1 basis-44 break-words">
              {others.length === 0
                ? t('translated.list', { list, language: name })
                : t('translated.lists', { count: others.length + 1, language: name })}
            </span>
            <Button
              size="sm"
              variant="ghost"
              onPress={() =>
                dispatch({
                  type: 'set',
                  values: { active_languages: [...form.active_languages, language] },
                })
              }
            >
              {t('translated.add', { language: name })}
            </Button>
          </li>
        );
      })}
    </ul>
  );
}
