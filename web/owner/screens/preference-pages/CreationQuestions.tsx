import { MailCheck, UserCheck, UserPlus, Zap } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Card } from '#web/ui/Card.tsx';
import { RadioCards } from '#web/ui/RadioCards.tsx';
import { useSendsEmail } from '../../api/app-settings.ts';
import { NeedsEmail } from '../../components/NeedsEmail.tsx';
import { type CheckedSectionProps, memoSection } from './memo-section.ts';
import type { CreationQuestion } from './page-problems.ts';

interface CreationQuestionsProps extends CheckedSectionProps {
  /** Answered with "off". Until it is answered, a question shows no default as if it were chosen. */
  off: readonly CreationQuestion[];
  onAnswer: (question: CreationQuestion, isOn: boolean) => void;
}

/** Asked once, when a page is created. */
export const CreationQuestions = memoSection(Questions, ({ allow_customer_create, attrs }) => [
  allow_customer_create,
  attrs.confirm_changes,
]);

function Questions({ form, dispatch, errors, off, onAnswer }: CreationQuestionsProps) {
  return (
    <>
      <Question
        name="sign_up"
        isOn={form.allow_customer_create}
        isOff={off.includes('sign_up')}
        errorMessage={errors.sign_up}
        icons={{ on: <UserPlus />, off: <UserCheck /> }}
        onAnswer={(allow_customer_create) => {
          onAnswer('sign_up', allow_customer_create);
          dispatch({ type: 'set', values: { allow_customer_create } });
        }}
      />
      <Question
        name="confirm"
        isOn={form.attrs.confirm_changes}
        isOff={off.includes('confirm')}
        errorMessage={errors.confirm}
        icons={{ on: <MailCheck />, off: <Zap /> }}
        onAnswer={(confirm_changes) => {
          onAnswer('confirm', confirm_changes);
          dispatch({ type: 'set', values: { attrs: { confirm_changes } } });
        }}
      >
        {/* Before the choice: one answer does not work without email. */}
        <NeedsEmail />
      </Question>
    </>
  );
}

type Answer = 'on' | 'off';

interface QuestionProps {
  name: CreationQuestion;
  isOn: boolean;
  isOff: boolean;
  errorMessage: string | undefined;
  icons: Record<Answer, ReactNode>;
  onAnswer: (isOn: boolean) => void;
  children?: ReactNode;
}

function Question({ name, isOn, isOff, errorMessage, icons, onAnswer, children }: QuestionProps) {
  const { t } = useTranslation('pages');
  const sendsEmail = useSendsEmail();
  // What a server can't do is not recommended there.
  const labelOf = (answer: Answer) =>
    name === 'confirm' && answer === 'on' && !sendsEmail ? t('rule.confirm_changes') : t(`${name}.${answer}`);
  return (
    <Card title={t(`${name}.question`)} description={t(`${name}.help`)}>
      <div className="flex flex-col gap-3">
        <RadioCards<Answer>
          label={t(`${name}.question`)}
          isLabelHidden
          errorMessage={errorMessage}
          value={isOn ? 'on' : isOff ? 'off' : null}
          onChange={(chosen) => onAnswer(chosen === 'on')}
          options={(['on', 'off'] as const).map((value) => ({
            value,
            label: labelOf(value),
            description: t(`${name}.${value}_help`),
            icon: icons[value],
          }))}
        />
        {children}
      </div>
    </Card>
  );
}
