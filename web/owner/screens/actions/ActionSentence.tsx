import { Trans, useTranslation } from 'react-i18next';
import type { Action } from '#contract/actions.ts';
import { useIntegrations } from '../../queries/integration-queries.ts';
import { type Endpoint, isEndpoint, targetOf, toolOperationOf } from './actions.logic.ts';
import { useTriggerWords } from './trigger-words.ts';

interface ActionSentenceProps {
  action: Pick<Action, 'type' | 'trigger' | 'target' | 'operation' | 'integration_id'>;
  lists: readonly { id: string; name: string }[];
}

/** The rule in plain words: `When a customer unsubscribes from Weekly news, remove the tag “weekly” in ActiveCampaign` */
export function ActionSentence({ action, lists }: ActionSentenceProps) {
  const { t } = useTranslation('actions');
  const wordsOf = useTriggerWords();
  return (
    <Trans
      t={t}
      i18nKey={`sentence.${action.trigger.event}`}
      values={{ lists: wordsOf(action.trigger, lists) }}
      components={{
        lists: <strong className="font-semibold" />,
        b: <strong className="font-semibold" />,
        deed: isEndpoint(action.type) ? (
          <EndpointDeed type={action.type} address={targetOf(action)} />
        ) : (
          <ToolDeed action={action} />
        ),
      }}
    />
  );
}

function EndpointDeed({ type, address }: { type: Endpoint; address: string }) {
  const { t } = useTranslation('actions');
  return (
    <>
      {t(`builder.to.${type}`)} <code className="font-mono text-[13px] wrap-anywhere">{address}</code>
    </>
  );
}

function ToolDeed({ action }: Pick<ActionSentenceProps, 'action'>) {
  return <span className="break-words">{useWhat(action)}</span>;
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
