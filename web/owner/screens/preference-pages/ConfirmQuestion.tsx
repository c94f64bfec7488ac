import { MailCheck, Zap } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Card } from '#web/ui/Card.tsx';
import { RadioCards } from '#web/ui/RadioCards.tsx';
import { NeedsEmail } from '../../components/NeedsEmail.tsx';
import type { PageOperation } from './pages.logic.ts';

type Answer = 'on' | 'off';

/** Asked once, when a page is created; the default is the specification's. */
export function ConfirmQuestion({
  isOn,
  dispatch,
}: {
  isOn: boolean;
  dispatch: (operation: PageOperation) => void;
}) {
  const { t } = useTranslation('pages');
  const [isAnswered, setIsAnswered] = useState(false);
  const answer: Answer = isOn ? 'on' : 'off';

  function choose(wanted: Answer) {
    setIsAnswered(true);
    dispatch({ type: 'set', values: { attrs: { confirm_changes: wanted === 'on' } } });
  }

  return (
    <Card title={t('confirm.question')} description={t('confirm.help')}>
      <div className="flex flex-col gap-3">
        <RadioCards<Answer>
          label={t('confirm.question')}
          isLabelHidden
          value={isAnswered || isOn ? answer : null}
          onChange={choose}
          options={[
            { value: 'on', label: t('confirm.on'), description: t('confirm.on_help'), icon: <MailCheck /> },
            { value: 'off', label: t('confirm.off'), description: t('confirm.off_help'), icon: <Zap /> },
          ]}
        />
        {isOn && <NeedsEmail />}
      </div>
    </Card>
  );
}
