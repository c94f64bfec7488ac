import type { Action, Trigger } from '#contract/actions.ts';
import { CHOICE_EVENTS, type ChoiceEvent } from '#contract/choices.ts';
import type { FieldError } from '#contract/errors.ts';
import { httpUrl } from '#contract/fields.ts';

export const EVENTS = CHOICE_EVENTS;

export interface ActionForm {
  event: ChoiceEvent;
  list_ids: string[];
  url: string;
  name: string;
  enabled: boolean;
}

/** Only joining and leaving happen to a list; the other events happen to the customer. */
export function takesLists(event: ChoiceEvent): boolean {
  return event === 'subscribed' || event === 'unsubscribed';
}

export function actionFormOf(action?: Action): ActionForm {
  return {
    event: action?.trigger.event ?? 'unsubscribed',
    list_ids: action?.trigger.list_ids ?? [],
    url: action ? urlOf(action) : '',
    name: action?.name ?? '',
    enabled: action?.enabled ?? true,
  };
}

/** What the action is about in the tool, or where evidence goes; '' where it needs no target. */
export function targetOf({ target }: Pick<Action, 'target'>): string {
  const said = target['name'] ?? target['email'] ?? target['url'];
  return typeof said === 'string' ? said : '';
}

const OPERATIONS = ['add', 'remove', 'start', 'stop', 'unsubscribe', 'resubscribe', 'change'] as const;

/** What is done there, if it is a word that is known here. */
export function operationOf({
  operation,
}: Pick<Action, 'operation'>): (typeof OPERATIONS)[number] | undefined {
  return OPERATIONS.find((one) => one === operation);
}

export function urlOf(action: Pick<Action, 'target'>): string {
  return typeof action.target.url === 'string' ? action.target.url : '';
}

export function triggerOf(form: Pick<ActionForm, 'event' | 'list_ids'>): Trigger {
  return { event: form.event, list_ids: takesLists(form.event) ? form.list_ids : [] };
}

export function isWebhookUrl(url: string): boolean {
  return httpUrl.safeParse(url).success;
}

/** What a new action is called while it has no name of its own. */
export function hostOf(url: string): string {
  return URL.canParse(url.trim()) ? new URL(url.trim()).host : 'example.com';
}

/** Names of a trigger's lists in the site's order; lists that were deleted since are counted. */
export function triggerLists(
  trigger: Trigger,
  lists: readonly { id: string; name: string }[],
): { names: string[]; missing: number } {
  const names = lists.filter((list) => trigger.list_ids.includes(list.id)).map((list) => list.name);
  return { names, missing: trigger.list_ids.length - names.length };
}

export type ActionFormField = 'name' | 'url' | 'list_ids' | 'event';

export function formFieldOf(error: FieldError): ActionFormField | null {
  const field = error.field ?? '';
  if (field === 'name') return 'name';
  if (field.startsWith('target')) return 'url';
  if (field.startsWith('trigger.list_ids')) return 'list_ids';
  if (field.startsWith('trigger')) return 'event';
  return null;
}
