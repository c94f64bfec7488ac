import { useTranslation } from 'react-i18next';
import { textsOf } from '#web/page/locales.ts';
import { Card } from '#web/ui/Card.tsx';
import { TextField } from '#web/ui/TextField.tsx';
import { type SectionProps, memoSection } from './memo-section.ts';

const FIELDS = [
  { name: 'tag_subject', label: 'field.tag_subject', ours: 'pref_template.title', max: 200 },
  { name: 'tag_pre_name', label: 'field.tag_pre_name', ours: 'pref_template.for', max: 50 },
  { name: 'saved_preferences_msg', label: 'field.saved_message', ours: 'pref_template.saved', max: 200 },
] as const;

export const TextsSection = memoSection(TextsFields, ({ attrs }) => [
  attrs.language,
  ...FIELDS.map(({ name }) => attrs[name]),
]);

function TextsFields({ form, dispatch }: SectionProps) {
  const { t } = useTranslation('pages');
  const ours = textsOf(form.attrs.language);
  return (
    <Card title={t('section.texts')} description={t('section.texts_help')}>
      <div className="flex flex-col gap-5">
        {FIELDS.map((field) => (
          <div key={field.name} data-page-field={field.name}>
            <TextField
              label={t(field.label)}
              placeholder={ours[field.ours].trim()}
              value={form.attrs[field.name]}
              onChange={(value) => dispatch({ type: 'set', values: { attrs: { [field.name]: value } } })}
              maxLength={field.max}
            />
          </div>
        ))}
      </div>
    </Card>
  );
}
