import { useEffect, useRef, useState } from 'react';
import { type Control, Controller, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { LANGUAGES, type Language } from '#contract/fields.ts';
import { LEGAL_BASES } from '#contract/lists.ts';
import { FormTextField } from '#web/ui/FormTextField.tsx';
import { SelectField } from '#web/ui/SelectField.tsx';
import { SwitchField } from '#web/ui/SwitchField.tsx';
import { TextAreaField } from '#web/ui/TextAreaField.tsx';
import { LANGUAGE_NAMES } from '../../i18n/language.logic.ts';
import { isTranslated, type ListForm, MAX_DESCRIPTION, MAX_NAME } from './lists.logic.ts';

type ListControl = Control<ListForm>;

/** A list's texts and rules, as in the page editor's dialog. */
export function ListFields({ control }: { control: ListControl }) {
  const { t } = useTranslation('lists');
  const [isOn, isConfirmed] = useWatch({ control, name: ['subscription_default_state', 'double_opt_in'] });
  return (
    <div className="flex flex-col gap-5">
      <FormTextField
        control={control}
        name="name"
        rules={{ validate: (_, form) => form.name.trim() !== '' || t('error.name') }}
        label={t('field.name')}
        placeholder={t('field.name_placeholder')}
        maxLength={MAX_NAME}
      />
      <Description control={control} name="description" help={t('field.description_help')} />
      <Controller
        control={control}
        name="subscription_default_state"
        render={({ field, fieldState }) => (
          <SwitchField
            label={t('field.default')}
            description={t(isConfirmed ? 'field.default_confirmed' : 'field.default_help')}
            isDisabled={isConfirmed && !isOn}
            isSelected={field.value}
            onChange={field.onChange}
            errorMessage={fieldState.error?.message}
          />
        )}
      />
      <Controller
        control={control}
        name="double_opt_in"
        render={({ field, fieldState }) => (
          <SwitchField
            label={t('field.double_opt_in')}
            description={t(isOn ? 'field.double_opt_in_on' : 'field.double_opt_in_help')}
            isDisabled={isOn && !isConfirmed}
            isSelected={field.value}
            onChange={field.onChange}
            errorMessage={fieldState.error?.message}
          />
        )}
      />
      <LegalBasisField control={control} />
    </div>
  );
}

const BASES = ['none', ...LEGAL_BASES] as const;

function LegalBasisField({ control }: { control: ListControl }) {
  const { t } = useTranslation('lists');
  const options = BASES.map((value) => ({
    value,
    label: t(`basis.${value}`),
    description: t(`basis_help.${value}`),
  }));
  return (
    <Controller
      control={control}
      name="legal_basis"
      render={({ field, fieldState }) => (
        <SelectField
          label={t('field.legal_basis')}
          description={field.value === null ? t('field.legal_basis_help') : t(`basis_help.${field.value}`)}
          options={options}
          value={field.value ?? 'none'}
          onChange={(value) => field.onChange(value === 'none' ? null : value)}
          errorMessage={fieldState.error?.message}
        />
      )}
    />
  );
}

/** The languages that the list has words in, and those added here. */
export function TranslationFields({ control }: { control: ListControl }) {
  const { t } = useTranslation('lists');
  const translations = useWatch({ control, name: 'translations' });
  const [open, setOpen] = useState<readonly Language[]>([]);
  const [added, setAdded] = useState<Language | null>(null);
  // A language whose words are cleared stays, and a restored draft may bring others.
  const more = LANGUAGES.filter((one) => isTranslated(translations[one]) && !open.includes(one));
  if (more.length > 0) setOpen([...open, ...more]);
  const shown = LANGUAGES.filter((language) => open.includes(language));
  const others = LANGUAGES.filter((language) => !shown.includes(language));
  return (
    <div className="divide-y divide-line">
      {shown.map((language) => (
        <TranslationRow key={language} control={control} language={language} isNew={added === language} />
      ))}
      {others.length > 0 && (
        <div className="px-5 py-4 sm:max-w-64">
          <SelectField
            label={t('translations.add')}
            isLabelHidden
            placeholder={t('translations.add')}
            options={others.map((language) => ({ value: language, label: LANGUAGE_NAMES[language] }))}
            value={null}
            onChange={(language) => {
              setOpen([...open, language]);
              setAdded(language);
            }}
          />
        </div>
      )}
    </div>
  );
}

interface TranslationRowProps {
  control: ListControl;
  language: Language;
  /** Just added: its name is typed next. */
  isNew: boolean;
}

function TranslationRow({ control, language, isNew }: TranslationRowProps) {
  const { t } = useTranslation('lists');
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isNew) row.current?.querySelector('input')?.focus();
  }, [isNew]);
  return (
    <div
      ref={row}
      role="group"
      aria-label={LANGUAGE_NAMES[language]}
      className="grid gap-x-5 gap-y-3 px-5 py-4 sm:grid-cols-[6.5rem_2fr_3fr]"
    >
      <h3 className="font-medium sm:pt-6.5" lang={language}>
        {LANGUAGE_NAMES[language]}
      </h3>
      <FormTextField
        control={control}
        name={`translations.${language}.name`}
        rules={{
          validate: (_, form) =>
            form.translations[language].name.trim() !== '' ||
            form.translations[language].description.trim() === '' ||
            t('error.translation_name'),
        }}
        label={t('field.name')}
        maxLength={MAX_NAME}
        lang={language}
      />
      <Description control={control} name={`translations.${language}.description`} lang={language} />
    </div>
  );
}

interface DescriptionProps {
  control: ListControl;
  name: 'description' | `translations.${Language}.description`;
  help?: string;
  lang?: string;
  rows?: number;
}

function Description({ control, name, help, lang, rows = 2 }: DescriptionProps) {
  const { t } = useTranslation('lists');
  return (
    <Controller
      control={control}
      name={name}
      render={({ field, fieldState }) => (
        <TextAreaField
          {...field}
          label={t('field.description')}
          description={help}
          rows={rows}
          maxLength={MAX_DESCRIPTION}
          errorMessage={fieldState.error?.message}
          {...(lang === undefined ? {} : { lang })}
        />
      )}
    />
  );
}
