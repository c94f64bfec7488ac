import { Trans, useTranslation } from 'react-i18next';
import type { Action } from '#contract/actions.ts';
import { useIntegrations } from '../integrations/integrations.api.ts';
import { operationOf, targetOf, urlOf } from './actions.logic.ts';
import { useTriggerWords } from './trigger-words.ts';

interface ActionSentenceProps {
  action: Pick<Action, 'type' | 'trigger' | 'target' | 'operation' | 'integration_id'>;
  lists: readonly { id: string; name: string }[];
}

/** The rule as people say it. */
export function ActionSentence(props: ActionSentenceProps) {
  return props.action.type === 'webhook' ? <WebhookSentence {...props} /> : <OtherSentence {...props} />;
}

/** `When someone leaves Weekly news: Brevo · List: Weekly · remove` */
function OtherSentence({ action, lists }: ActionSentenceProps) {
  const { t } = useTranslation('actions');
  const wordsOf = useTriggerWords();
  const { data: integrations = [] } = useIntegrations();
  const tool = integrations.find(({ id }) => id === action.integration_id)?.name;
  const target = targetOf(action);
  const operation = operationOf(action);
  const type = t(`type.${action.type}`);
  const what = [tool, target === '' ? type : `${type}: ${target}`, operation && t(`operation.${operation}`)];
  return (
    <Trans
      t={t}
      i18nKey={`tool_sentence.${action.trigger.event}`}
      values={{ lists: wordsOf(action.trigger, lists), what: what.filter(Boolean).join(' · ') }}
      components={{
        lists: <strong className="font-semibold" />,
        b: <strong className="font-semibold" />,
        tool: <span className="break-words" />,
      }}
    />
  );
}

function WebhookSentence({ action, lists }: ActionSentenceProps) {
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
