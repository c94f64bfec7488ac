import {
  type TargetedActionType,
  TOOL_ACTION_TYPES,
  TOOL_ACTIONS,
  type ToolActionType,
} from '#contract/actions.ts';
import type { Capability, Connector } from './connector.ts';

/** What a tool can do of a type of action; a text is the reason why it can do nothing of it. */
export type Ability =
  | string
  | {
      /** The type has a way back, the tool has none. */
      oneWay?: true;
      irreversible?: string;
      deletes?: true;
      note?: string;
      isNoteOfForward?: true;
    };

/** A connector without what follows from the rest. What it does not speak of, its tool does not have. */
export interface ConnectorForm extends Omit<Connector, 'envName' | 'actions'> {
  actions: Readonly<
    Record<Exclude<ToolActionType, TargetedActionType>, Ability> &
      Partial<Record<TargetedActionType, Ability>>
  >;
}

function lackOf({ name }: ConnectorForm, type: ToolActionType): string {
  return `${name}’s API can’t change any ${TOOL_ACTIONS[type].target?.replaceAll('_', ' ')}.`;
}

function capabilityOf(type: ToolActionType, ability: Ability): Capability {
  if (typeof ability === 'string') return { can: false, reason: ability };
  const { oneWay = false, ...told } = ability;
  const { operations, target } = TOOL_ACTIONS[type];
  return { can: true, operations: oneWay ? [operations[0]] : operations, target, ...told };
}

export function defineConnector(form: ConnectorForm): Connector {
  const abilities = TOOL_ACTION_TYPES.map(
    (type) => [type, form.actions[type] ?? lackOf(form, type)] as const,
  );
  return {
    ...form,
    envName: form.id.toUpperCase().replaceAll('-', '_'),
    actions: Object.fromEntries(
      abilities.map(([type, ability]) => [type, capabilityOf(type, ability)]),
    ) as Record<ToolActionType, Capability>,
  };
}
