import { useTranslation } from 'react-i18next';
import { Card } from '#web/ui/Card.tsx';
import { SwitchField } from '#web/ui/SwitchField.tsx';
import { NeedsEmail } from '../../components/NeedsEmail.tsx';
import { type SectionProps, memoSection } from './memo-section.ts';

const ATTRS = [
  'allow_email_change',
  'unsubscribe_all',
  'offer_pause',
  'enhanced_security',
  'confirm_changes',
  'confirm_links',
  'remove_badge',
] as const;

/** What these promise is done by email. */
const BY_EMAIL: readonly (typeof ATTRS)[number][] = ['enhanced_security', 'confirm_changes'];

export const RulesSection = memoSection(RulesFields, ({ allow_customer_create, attrs }) => [
  allow_customer_create,
  ...ATTRS.map((name) => attrs[name]),
]);

function RulesFields({ form, dispatch }: SectionProps) {
  const { t } = useTranslation('pages');
  return (
    <Card title={t('section.rules')}>
      <div className="flex flex-col gap-5">
        <SwitchField
          label={t('rule.allow_customer_create')}
          description={t('rule.allow_customer_create_help')}
          isSelected={form.allow_customer_create}
          onChange={(allow_customer_create) => dispatch({ type: 'set', values: { allow_customer_create } })}
        />
        {ATTRS.map((name) => (
          <div key={name} data-page-field={name} className="flex flex-col gap-2">
            <SwitchField
              label={t(`rule.${name}`)}
              description={t(`rule.${name}_help`)}
              isSelected={form.attrs[name]}
              onChange={(isOn) => dispatch({ type: 'set', values: { attrs: { [name]: isOn } } })}
            />
            {form.attrs[name] && BY_EMAIL.includes(name) && <NeedsEmail />}
          </div>
        ))}
      </div>
    </Card>
  );
}
