import { type Control, type FieldPath, type FieldValues, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { FormTextField } from '#web/ui/FormTextField.tsx';
import { newPasswordProblem } from './auth.logic.ts';
import { usePasswordStrength } from './use-password-strength.ts';
import { type Strength } from './password-strength.ts';
import { useFieldRule } from './use-field-rule.ts';

interface NewPasswordFieldProps<Values extends FieldValues> {
  control: Control<Values>;
  name: FieldPath<Values>;
  label: string;
  /** Username and email of the account, as far as they are known. */
  own?: readonly string[];
}

/** A new password, with advice while it is typed. The server refuses weak ones itself. */
export function NewPasswordField<Values extends FieldValues>({
  control,
  name,
  label,
  own = [],
}: NewPasswordFieldProps<Values>) {
  const { t } = useTranslation('auth');
  const rule = useFieldRule();
  const value: unknown = useWatch({ control, name });
  const strength = usePasswordStrength(typeof value === 'string' ? value : '', own);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <FormTextField
        control={control}
        name={name}
        rules={rule(newPasswordProblem)}
        label={label}
        description={t('fields.password_hint')}
        type="password"
        autoComplete="new-password"
      />
      <Advice strength={strength} />
    </div>
  );
}

const STEPS = ['weak', 'fair', 'good', 'strong'] as const;

const COLOURS = { weak: 'bg-danger', fair: 'bg-warning', good: 'bg-success', strong: 'bg-success' };

/** Reserves its space from the start, so that the button below does not move while it is being pressed. */
function Advice({ strength }: { strength: Strength | null }) {
  const { t } = useTranslation('auth');
  const reached = strength === null ? -1 : STEPS.indexOf(strength.level);
  return (
    <div className="flex flex-col gap-1.5">
      <div aria-hidden className="grid grid-cols-4 gap-1">
        {STEPS.map((step, index) => (
          <span
            key={step}
            className={`h-1 rounded-full ${strength !== null && index <= reached ? COLOURS[strength.level] : 'bg-line'}`}
          />
        ))}
      </div>
      <p role="status" className="-mb-3 min-h-10 text-[13px] text-ink-muted">
        {strength !== null && t(`strength.${strength.level}`)}{' '}
        {strength?.problem && t(`strength.problem.${strength.problem}`)}
      </p>
    </div>
  );
}
