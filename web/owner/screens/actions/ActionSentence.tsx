import { Trans, useTranslation } from 'react-i18next';
import type { Action } from '#contract/actions.ts';
import { urlOf } from './actions.logic.ts';
import { useTriggerWords } from './trigger-words.ts';

interface ActionSentenceProps {
  action: Pick<Action, 'trigger' | 'target'>;
  lists: readonly { id: string; name: string }[];
}

/** The rule as people say it. */
export function ActionSentence({ action, lists }: ActionSentenceProps) {
  const { t } = useTranslation('actions');
  const wordsOf = useTriggerWords();
  return (
    <Trans
      t={t}
      i18nKey={`sentence.${action.trigger.event}`}
      values={{ lists: wordsOf(action.trigger, lists), url: urlOf(action) }}
      components={{
        lists: <strong className="font-semibold" />,
        b: <strong className="font-semibold" />,
        url: <code className="font-mono text-[13px] wrap-anywhere" />,
      }}
    />
  );
}
