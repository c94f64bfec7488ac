import { Check, X } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { TOOL_ACTION_TYPES, type ToolActionType } from '#contract/actions.ts';
import type { ConnectorInfo } from '#contract/integrations.ts';
import { ActionTypeIcon } from '../../components/action-icons.tsx';
import { ConnectorText } from '../../components/ConnectorText.tsx';
import { operationOf } from '../actions/actions.logic.ts';

type Capability = NonNullable<ConnectorInfo['actions']['list']>;

/** What the connector can and cannot do, with the reason. */
export function Abilities({ connector }: { connector: ConnectorInfo }) {
  const all = TOOL_ACTION_TYPES.flatMap((type) => {
    const capability = connector.actions[type];
    return capability === undefined ? [] : [{ type, capability }];
  });
  const inOrder = [
    ...all.filter(({ capability }) => capability.can),
    ...all.filter(({ capability }) => !capability.can),
  ];
  return (
    <ul className="flex flex-col divide-y divide-line">
      {inOrder.map(({ type, capability }) => (
        <Ability key={type} {...{ connector, type, capability }} />
      ))}
    </ul>
  );
}

interface AbilityProps<C extends Capability> {
  connector: ConnectorInfo;
  type: ToolActionType;
  capability: C;
}

function Ability({ connector, type, capability }: AbilityProps<Capability>) {
  const { t } = useTranslation(['integrations', 'actions']);
  return (
    <li className="flex gap-3 py-3 first:pt-0 last:pb-0">
      <span className={`pt-0.5 ${capability.can ? 'text-accent' : 'text-ink-faint'}`}>
        <ActionTypeIcon type={type} />
      </span>
      <div className="min-w-0 flex-1">
        <p className={`font-medium ${capability.can ? '' : 'text-ink-muted'}`}>{t(`actions:type.${type}`)}</p>
        {capability.can ? (
          <Can {...{ connector, type, capability }} />
        ) : (
          <p className="text-[13px] text-pretty text-ink-muted">
            <ConnectorText connector={connector} place={`actions.${type}.reason`}>
              {capability.reason}
            </ConnectorText>
          </p>
        )}
      </div>
      <span className={`shrink-0 pt-0.5 ${capability.can ? 'text-success' : 'text-ink-faint'}`}>
        {capability.can ? <Check size={16} aria-hidden /> : <X size={16} aria-hidden />}
        <span className="sr-only">{capability.can ? t('abilities.can') : t('abilities.cannot')}</span>
      </span>
    </li>
  );
}

function Can({ connector, type, capability }: AbilityProps<Extract<Capability, { can: true }>>) {
  const { t } = useTranslation(['integrations', 'actions']);
  const operations = capability.operations.flatMap((one) => operationOf({ operation: one }) ?? []);
  return (
    <>
      <p className="text-[13px] text-ink-muted">
        {operations.map((operation) => t(`actions:operation.${operation}`)).join(' · ')}
      </p>
      {capability.note !== null && (
        <p className="text-[13px] text-pretty text-ink-muted">
          <ConnectorText connector={connector} place={`actions.${type}.note`}>
            {capability.note}
          </ConnectorText>
        </p>
      )}
      {capability.irreversible !== null && (
        <p className="mt-1 text-[13px] text-pretty text-warning">
          {t('abilities.irreversible')}{' '}
          <ConnectorText connector={connector} place={`actions.${type}.irreversible`}>
            {capability.irreversible}
          </ConnectorText>
        </p>
      )}
    </>
  );
}
