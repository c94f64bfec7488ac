import { Trans, useTranslation } from 'react-i18next';
import type { Action } from '#contract/actions.ts';
import { useIntegrations } from '../../queries/integration-queries.ts';
import { toolOperationOf, targetOf, urlOf } from './actions.logic.ts';
import { useTriggerWords } from './trigger-words.ts';

interface ActionSentenceProps {
  action: Pick<Action, 'type' | 'trigger' | 'target' | 'operation' | 'integration_id'>;
  lists: readonly { id: string; name: string }[];
}

/** The rule in plain words. */
export function ActionSentence(props: ActionSentenceProps) {
  return props.action.type === 'webhook' ? <WebhookSentence {...props} /> : <OtherSentence {...props} />;
}

/** `When someone leaves Weekly news: remove the tag weekly in ActiveCampaign` */
function OtherSentence({ action, lists }: ActionSentenceProps) {
  const { t } = useTranslation('actions');
  const wordsOf = useTriggerWords();
  const what = useWhat(action);
  return (
    <Trans
      t={t}
      i18nKey={`tool_sentence.${action.trigger.event}`}
      values={{ lists: wordsOf(action.trigger, lists), what }}
      components={{
        lists: <strong className="font-semibold" />,
        b: <strong className="font-semibold" />,
        tool: <span className="break-words" />,
      }}
    />
  );
}

function useWhat(action: ActionSentenceProps['action']): string {
  const { t } = useTranslation('actions');
  const { data: integrations = [] } = useIntegrations();
  const tool = integrations.find(({ id }) => id === action.integration_id)?.name ?? '';
  const target = targetOf(action);
  const toolOperation = toolOperationOf(action);
  if (toolOperation === undefined) return `${t(`type.${action.type}`)}: ${target}`;
  const what = t(`deed.${toolOperation}`);
  return target === '' ? t('what.plain', { what, tool }) : t('what.with_target', { what, target, tool });
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
