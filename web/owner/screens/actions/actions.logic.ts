import {
  type Action,
  type ActionType,
  type createAction,
  TOOL_ACTION_TYPES,
  TOOL_ACTIONS,
  type ToolOperation,
  type Trigger,
} from '#contract/actions.ts';
import type { ActionRule } from '#contract/action-overlaps.ts';
import { CHOICE_EVENTS, type ChoiceEvent, isAboutLists } from '#contract/choices.ts';
import type { FieldError } from '#contract/errors.ts';
import { email, httpUrl } from '#contract/fields.ts';
import type { ConnectorInfo, Integration } from '#contract/integrations.ts';
import type { RouteCall } from '#contract/route.ts';

export const EVENTS = CHOICE_EVENTS;

/** Receivers that are not tools. */
export const ENDPOINTS = ['webhook', 'evidence'] as const;

export type Endpoint = (typeof ENDPOINTS)[number];

const LONGEST_NAME = 100;

/** Stands for every list, of now and later. In the API an empty `list_ids` does; in the form that is no choice yet. */
export const ANY_LIST = 'any';

export interface ActionForm {
  event: ChoiceEvent;
  /** Ids, or only `ANY_LIST`; empty while nothing is chosen. */
  list_ids: string[];
  /** One of the endpoints, or the id of an integration. */
  receiver: string;
  /** What is done in a tool; '' while nothing is chosen. */
  toolOperation: ToolOperation | '';
  /** Of the tool, by its id and name. */
  target: { id: string; name: string } | null;
  /** Of an endpoint: the address to call, or, for evidence, to write to. */
  url: string;
  name: string;
  enabled: boolean;
}

/** An action's type and operation in one value, as the form holds it. */
export const TOOL_OPERATIONS: readonly ToolOperation[] = TOOL_ACTION_TYPES.flatMap((type) =>
  TOOL_ACTIONS[type].operations.map((operation) => `${type}_${operation}` as ToolOperation),
);

/** The type and the operation of an action that does this. */
export function splitOperation(toolOperation: ToolOperation): { type: ActionType; operation: string } {
  const at = toolOperation.lastIndexOf('_');
  return { type: toolOperation.slice(0, at) as ActionType, operation: toolOperation.slice(at + 1) };
}

export function toolOperationOf({
  type,
  operation,
}: Pick<Action, 'type' | 'operation'>): ToolOperation | undefined {
  return TOOL_OPERATIONS.find((toolOperation) => toolOperation === `${type}_${operation}`);
}

type Capability = Extract<NonNullable<ConnectorInfo['actions']['list']>, { can: true }>;

export function capabilityOf(
  connector: ConnectorInfo | undefined,
  toolOperation: ToolOperation | '',
): Capability | null {
  if (toolOperation === '') return null;
  const { type, operation } = splitOperation(toolOperation);
  const capability = connector?.actions[type];
  return capability?.can && capability.operations.includes(operation) ? capability : null;
}

/** What to know before choosing this operation in the tool; null: nothing. */
export function noteOf(
  connector: ConnectorInfo | undefined,
  toolOperation: ToolOperation | '',
): string | null {
  const capability = capabilityOf(connector, toolOperation);
  if (toolOperation === '' || capability === null) return null;
  const { note, note_operation: only } = capability;
  return only === null || only === splitOperation(toolOperation).operation ? note : null;
}

/** What a tool can do, in the order of `TOOL_OPERATIONS`. */
export function toolOperationsOf(connector: ConnectorInfo | undefined): ToolOperation[] {
  return TOOL_OPERATIONS.filter((toolOperation) => capabilityOf(connector, toolOperation) !== null);
}

const LEAVING: readonly ChoiceEvent[] = ['unsubscribed', 'global_unsubscribed'];

/** The most likely operation for an event; '' where there is none. */
export function likelyOperation(
  event: ChoiceEvent,
  operations: readonly ToolOperation[],
): ToolOperation | '' {
  const wanted: readonly ToolOperation[] =
    event === 'email_changed'
      ? ['switch_email_change']
      : event === 'global_unsubscribed'
        ? ['global_unsubscribe_unsubscribe', 'list_remove', 'tag_remove']
        : LEAVING.includes(event)
          ? ['list_remove', 'tag_remove']
          : ['list_add', 'tag_add'];
  return wanted.find((toolOperation) => operations.includes(toolOperation)) ?? '';
}

export function isEndpoint(receiver: string): receiver is Endpoint {
  return ENDPOINTS.some((one) => one === receiver);
}

export function actionFormOf(action?: Action): ActionForm {
  return {
    event: action?.trigger.event ?? 'unsubscribed',
    list_ids: listsOf(action?.trigger),
    receiver: action?.integration_id ?? (action?.type === 'evidence' ? 'evidence' : 'webhook'),
    toolOperation: (action && toolOperationOf(action)) ?? '',
    target: action ? namedTargetOf(action) : null,
    url: action ? addressOf(action) : '',
    name: action?.name ?? '',
    enabled: action?.enabled ?? true,
  };
}

/** Of an event that is about no list, none is chosen: with another event, one has to be. */
function listsOf(trigger?: Trigger): string[] {
  if (trigger !== undefined && !isAboutLists(trigger.event)) return [];
  return trigger !== undefined && trigger.list_ids.length > 0 ? trigger.list_ids : [ANY_LIST];
}

/** An existing action in the form. Its deleted lists are left out: they can't be chosen, and never become any list. */
export function editedActionForm(action: Action, lists: readonly { id: string }[]): ActionForm {
  const form = actionFormOf(action);
  const isKnown = (id: string) => id === ANY_LIST || lists.some((list) => list.id === id);
  return { ...form, list_ids: form.list_ids.filter(isKnown) };
}

/** A new action like another one, under another name. It starts off: two that are on would send each change twice. */
export function duplicateForm(action: Action, lists: readonly { id: string }[], name: string): ActionForm {
  return { ...editedActionForm(action, lists), name: fittingName(name), enabled: false };
}

/** `Brevo · add to the list: Weekly news` */
export function suggestedName(tool: string, what: string, target: { name: string } | null): string {
  const name = target === null ? `${tool} · ${what}` : `${tool} · ${what}: ${target.name}`;
  return fittingName(name);
}

export function fittingName(name: string): string {
  return name.slice(0, LONGEST_NAME).trim();
}

/** What was changed of an action, as the API takes it. */
export function changedFields(before: ActionForm, now: ActionForm): ChangedFields {
  const fields = (form: ActionForm): Required<ChangedFields> => ({
    name: form.name,
    enabled: form.enabled,
    trigger: triggerOf(form),
    target: targetBodyOf(form),
  });
  const [old, all] = [fields(before), fields(now)];
  const names = Object.keys(all) as (keyof ChangedFields)[];
  const changed = names.filter((name) => JSON.stringify(all[name]) !== JSON.stringify(old[name]));
  return Object.fromEntries(changed.map((name) => [name, all[name]]));
}

type ChangedFields = Partial<Pick<NewAction, 'name' | 'enabled' | 'trigger' | 'target'>>;

/**
 * A new action's defaults: in a tool, where there is one, because most rules are for tools. Its lists have to be chosen:
 * with any list, leaving one of them would remove customers from a list of the tool that stands for another. A site's only
 * list is chosen already.
 * @param preferred the ids of the integration and of the list that it was asked for at
 */
export function newActionForm(
  integrations: readonly Integration[],
  connectors: readonly ConnectorInfo[],
  lists: readonly { id: string }[],
  preferred: { tool?: string | undefined; list?: string | undefined } = {},
): ActionForm {
  const form = actionFormOf();
  const [newest] = integrations.toSorted((a, b) => b.created_at.localeCompare(a.created_at));
  const tool = integrations.find(({ id }) => id === preferred.tool) ?? newest;
  const list = lists.length === 1 ? lists[0] : lists.find(({ id }) => id === preferred.list);
  if (tool === undefined) return form;
  const operations = toolOperationsOf(connectors.find(({ id }) => id === tool.provider));
  const toolOperation = likelyOperation(form.event, operations);
  const list_ids = list === undefined ? [] : [list.id];
  return { ...form, list_ids, receiver: tool.id, toolOperation };
}

/** What the action is about in the tool, or where evidence goes; '' where it needs no target. */
export function targetOf({ target }: Pick<Action, 'target'>): string {
  const said = target['name'] ?? target['email'] ?? target['url'];
  return typeof said === 'string' ? said : '';
}

function namedTargetOf({ target: { id, name } }: Pick<Action, 'target'>): ActionForm['target'] {
  return typeof id === 'string' && typeof name === 'string' ? { id, name } : null;
}

function addressOf({ target }: Pick<Action, 'target'>): string {
  const said = target['url'] ?? target['email'];
  return typeof said === 'string' ? said : '';
}

function isEmail(address: string): boolean {
  return email.safeParse(address.trim()).success;
}

/** @returns whether the address can be called, or, for evidence, written to */
export function isAddressOf(receiver: string, address: string): boolean {
  return isWebhookUrl(address) || (receiver === 'evidence' && isEmail(address));
}

/** Whether it is sent as an email. */
export function isByEmail({ receiver, url }: Pick<ActionForm, 'receiver' | 'url'>): boolean {
  return receiver === 'evidence' && isEmail(url);
}

type NewAction = RouteCall<typeof createAction>['body'];

/** The target in the API's format. */
export function targetBodyOf({ receiver, target, url }: ActionForm): NewAction['target'] {
  if (!isEndpoint(receiver)) return target === null ? {} : { id: target.id, name: target.name };
  return isByEmail({ receiver, url }) ? { email: url.trim() } : { url: url.trim() };
}

/** The API fields of a new action besides name, trigger and target. */
export function kindBodyOf({
  receiver,
  toolOperation,
}: ActionForm): Pick<NewAction, 'type' | 'operation' | 'integration_id'> {
  if (isEndpoint(receiver)) return { type: receiver };
  return { ...splitOperation(toolOperation || 'list_add'), integration_id: receiver };
}

const OPERATIONS = ['add', 'remove', 'start', 'stop', 'unsubscribe', 'resubscribe', 'change'] as const;

/** The operation, if this version knows it. */
export function operationOf({
  operation,
}: Pick<Action, 'operation'>): (typeof OPERATIONS)[number] | undefined {
  return OPERATIONS.find((one) => one === operation);
}

export function triggerOf(form: Pick<ActionForm, 'event' | 'list_ids'>): Trigger {
  const ids = form.list_ids.filter((id) => id !== ANY_LIST);
  return { event: form.event, list_ids: isAboutLists(form.event) ? ids : [] };
}

export function isWebhookUrl(url: string): boolean {
  return httpUrl.safeParse(url).success;
}

/** The suggested name of a new action. */
export function hostOf(url: string): string {
  return URL.canParse(url.trim()) ? new URL(url.trim()).host : 'example.com';
}

/** Any list and single ones exclude each other; the one that was chosen last counts. */
export function chosenLists(before: readonly string[], now: readonly string[]): string[] {
  const isAny = now.includes(ANY_LIST) && !before.includes(ANY_LIST);
  return isAny ? [ANY_LIST] : now.filter((id) => id !== ANY_LIST || now.length === 1);
}

/** How many names fit into a sentence. */
const MOST_NAMES = 4;

/** The names of a trigger's lists in the site's order, with a count of surplus and of deleted ones. */
export function triggerLists(
  trigger: Trigger,
  lists: readonly { id: string; name: string }[],
): { names: string[]; more: number; missing: number } {
  const all = lists.filter((list) => trigger.list_ids.includes(list.id)).map((list) => list.name);
  const names = all.length > MOST_NAMES ? all.slice(0, MOST_NAMES - 1) : all;
  return { names, more: all.length - names.length, missing: trigger.list_ids.length - all.length };
}

export type ActionFormField = 'name' | 'url' | 'target' | 'toolOperation' | 'receiver' | 'list_ids' | 'event';

export function formFieldOf(error: FieldError, receiver: string): ActionFormField | null {
  const field = error.field ?? '';
  if (field === 'name') return 'name';
  if (field.startsWith('target')) return isEndpoint(receiver) ? 'url' : 'target';
  if (field === 'type' || field === 'operation') return 'toolOperation';
  if (field === 'integration_id') return 'receiver';
  if (field.startsWith('trigger.list_ids')) return 'list_ids';
  if (field.startsWith('trigger')) return 'event';
  return null;
}

/** The rule that the form would save. */
export function ruleOf(form: ActionForm, id: string | null): ActionRule {
  const { type, operation = null, integration_id = null } = kindBodyOf(form);
  return {
    id,
    enabled: form.enabled,
    // A list has to be chosen first: none is not any list.
    integration_id: form.list_ids.length === 0 || isEndpoint(form.receiver) ? null : integration_id,
    type,
    operation,
    trigger: triggerOf(form),
    target: targetBodyOf(form),
  };
}
