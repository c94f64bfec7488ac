import { MailCheck, UserCheck, UserPlus, Zap } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Card } from '#web/ui/Card.tsx';
import { RadioCards } from '#web/ui/RadioCards.tsx';
import { NeedsEmail } from '../../components/NeedsEmail.tsx';
import { memoSection, type SectionProps } from './memo-section.ts';

interface CreationQuestionsProps extends SectionProps {
  /** The questions that were answered; until then, their defaults are the specification's. */
  answered: readonly string[];
  onAnswer: (name: string) => void;
}

/** Asked once, when a page is created. */
export const CreationQuestions = memoSection(Questions, ({ allow_customer_create, attrs }) => [
  allow_customer_create,
  attrs.confirm_changes,
]);

function Questions({ form, dispatch, answered, onAnswer }: CreationQuestionsProps) {
  const confirms = form.attrs.confirm_changes;
  return (
    <>
      <Question
        name="sign_up"
        isOn={form.allow_customer_create}
        isAnswered={answered.includes('sign_up')}
        icons={{ on: <UserPlus />, off: <UserCheck /> }}
        onAnswer={(allow_customer_create) => {
          onAnswer('sign_up');
          dispatch({ type: 'set', values: { allow_customer_create } });
        }}
      />
      <Question
        name="confirm"
        isOn={confirms}
        isAnswered={answered.includes('confirm')}
        icons={{ on: <MailCheck />, off: <Zap /> }}
        onAnswer={(confirm_changes) => {
          onAnswer('confirm');
          dispatch({ type: 'set', values: { attrs: { confirm_changes } } });
        }}
      >
        {confirms && <NeedsEmail />}
      </Question>
    </>
  );
}

type Answer = 'on' | 'off';

interface QuestionProps {
  name: 'sign_up' | 'confirm';
  isOn: boolean;
  isAnswered: boolean;
  icons: Record<Answer, ReactNode>;
  onAnswer: (isOn: boolean) => void;
  children?: ReactNode;
}

function Question({ name, isOn, isAnswered, icons, onAnswer, children }: QuestionProps) {
  const { t } = useTranslation('pages');
  const answer: Answer = isOn ? 'on' : 'off';
  return (
    <Card title={t(`${name}.question`)} description={t(`${name}.help`)}>
      <div className="flex flex-col gap-3">
        <RadioCards<Answer>
          label={t(`${name}.question`)}
          isLabelHidden
          value={isAnswered || isOn ? answer : null}
          onChange={(chosen) => onAnswer(chosen === 'on')}
          options={(['on', 'off'] as const).map((value) => ({
            value,
            label: t(`${name}.${value}`),
            description: t(`${name}.${value}_help`),
            icon: icons[value],
          }))}
        />
        {children}
      </div>
    </Card>
  );
}
