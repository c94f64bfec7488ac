import { ConnectorError, type InboundEvent, type InboundRequest } from '#server/connectors/connector.ts';
import { dateOf } from '#server/connectors/timestamps.ts';
import { formOf } from '#server/connectors/webhooks.ts';

/** ActiveCampaign signs nothing; what it sends is known only by the secret path. */
export function isGenuine(): boolean {
  return true;
}

type Kind = InboundEvent['kind'];

/** `list`, or `list[][id]` where there are several; 0 stands for none. */
function listsIn(form: URLSearchParams): string[] {
  const lists = [...form].filter(([key]) => key === 'list' || /^list\[\d*\]\[id\]$/.test(key));
  return [...new Set(lists.map(([, value]) => value))].filter((list) => /^[1-9]\d*$/.test(list));
}

function kindOf(form: URLSearchParams, isOfList: boolean): Kind | null {
  const type = form.get('type');
  if (type === 'unsubscribe') return isOfList ? 'list_unsubscribed' : 'unsubscribed';
  if (type === 'subscribe') return isOfList ? 'list_subscribed' : null;
  // A full mailbox is no lasting bounce.
  if (type === 'bounce') return form.get('bounce[type]') === 'soft' ? null : 'bounced';
  // A change of the address comes as `update`, without the old one: nothing to act on.
  return null;
}

export function parse(request: InboundRequest): InboundEvent[] {
  const form = formOf(request);
  const [type, person] = [form.get('type'), form.get('contact[id]')];
  if (type === null || person === null) {
    throw new ConnectorError('refused', "This isn't an ActiveCampaign webhook.");
  }
  const date = form.get('date_time');
  const lists = type === 'bounce' ? [] : listsIn(form);
  const kind = kindOf(form, lists.length > 0);
  if (kind === null) return [];
  // A delivery has no id of its own, and may come more than once.
  const event = (list: string) => ({
    id: [type, person, list, date].join(':'),
    at: dateOf(date),
    email: form.get('contact[email]'),
    kind,
  });
  if (lists.length === 0) return [event('0')];
  return lists.map((list) => ({ ...event(list), resource: list }));
}
