import { createHash } from 'node:crypto';
import { type RequestedChange, requestedChange } from '#contract/actions.ts';
import type { Attempt } from '#contract/deliveries.ts';
import type { ChoiceRow } from '#server/audience/evidence/evidence.sql.ts';
import type { ActionRow } from '#server/delivery/actions/actions.sql.ts';
import { newId } from '#server/platform/ids.ts';
import type { Random } from './random.ts';

/** The last call of a change, as the connectors make it. */
type Call = Pick<Attempt, 'request' | 'response'>;

interface Person {
  email: string;
  /** Before the choice. */
  previousEmail: string;
}

function call(method: string, url: string, body: object | null, answer: [number, object | null]): Call {
  const text = (some: object | null) => (some === null ? '' : JSON.stringify(some));
  return {
    request: { method, url, headers: {}, body: text(body) },
    response: { status: answer[0], body: text(answer[1]) },
  };
}

type Rule = Pick<ActionRow, 'type' | 'operation' | 'target'>;

function mailchimpCall({ type, operation, target }: Rule, { email, previousEmail }: Person): Call {
  const member = createHash('md5').update(previousEmail).digest('hex');
  const audience = typeof target['id'] === 'string' ? target['id'] : 'a000000001';
  const url = `https://us19.api.mailchimp.com/3.0/lists/${audience}/members/${member}`;
  if (type === 'switch_email') {
    return call('PATCH', url, { email_address: email }, [
      200,
      { email_address: email, status: 'subscribed' },
    ]);
  }
  if (operation === 'add') {
    const body = { email_address: email, status_if_new: 'subscribed' };
    return call('PUT', url, body, [200, { email_address: email, status: 'subscribed' }]);
  }
  const left = { status: 'unsubscribed' };
  return call('PATCH', url, left, [200, { email_address: email, ...left }]);
}

function hubspotCall({ type, operation, target }: Rule, { email }: Person): Call {
  const at = 'https://api.hubapi.com';
  if (type === 'switch_email') {
    const url = `${at}/crm/objects/2026-03/contacts/37765128953`;
    return call('PATCH', url, { properties: { email } }, [200, { id: '37765128953', archived: false }]);
  }
  const statuses = `${at}/communication-preferences/2026-03/statuses/${encodeURIComponent(email)}`;
  if (type === 'global_unsubscribe') {
    const url = `${statuses}/unsubscribe-all?channel=EMAIL`;
    return call('POST', url, null, [200, { status: 'COMPLETE', results: [] }]);
  }
  const statusState = operation === 'add' ? 'UNSUBSCRIBED' : 'SUBSCRIBED';
  const body = { channel: 'EMAIL', statusState, subscriptionId: Number(target['id']) };
  return call('POST', statuses, body, [200, { status: 'COMPLETE', results: [] }]);
}

function sendgridCall({ type, operation, target }: Rule, { email }: Person): Call {
  const at = 'https://api.sendgrid.com/v3';
  const body = { recipient_emails: [email] };
  if (type === 'switch_email') {
    return call('PUT', `${at}/marketing/contacts`, { contacts: [{ email }] }, [202, { job_id: newId() }]);
  }
  if (type === 'global_unsubscribe') return call('POST', `${at}/asm/suppressions/global`, body, [201, body]);
  const members = `${at}/asm/groups/${String(target['id'])}/suppressions`;
  if (operation === 'add') return call('POST', members, body, [201, body]);
  return call('DELETE', `${members}/${encodeURIComponent(email)}`, null, [204, null]);
}

const CALLS: Readonly<Record<string, (rule: Rule, person: Person) => Call>> = {
  mailchimp: mailchimpCall,
  hubspot: hubspotCall,
  sendgrid: sendgridCall,
};

function changeOf({ type, operation, target }: Rule, { email, previousEmail }: Person): RequestedChange {
  return requestedChange.parse({
    type,
    operation,
    target: typeof target['id'] === 'string' ? target : null,
    email,
    previous_email: type === 'switch_email' ? previousEmail : null,
  });
}

/** Tools are away for a moment now and then; the next attempt, five seconds later, arrives. */
const AWAY = 0.02;
const RETRY_MS = 5000;

/** One delivery to a tool with its attempts, and seen to be there. */
export function deliverToTool(
  action: ActionRow,
  provider: { id: string; name: string },
  choice: ChoiceRow,
  { random, ...person }: Person & { random: Random },
) {
  const make = CALLS[provider.id];
  if (make === undefined) throw new Error(`The demo has no history with ${provider.name}`);
  const made = make(action, person);
  const change = changeOf(action, person);
  const firstMs = choice.occurred_at.getTime() + 80 + random.below(500);
  const good = { ...made, outcome: 'arrived', error: null, changes: [{ ...change, shown: true }] } as const;
  const bad = {
    request: made.request,
    response: { status: 503, body: '' },
    outcome: 'unavailable',
    error: `${provider.name} failed (503).`,
    changes: [{ ...change, shown: null }],
  } as const;
  const attempts = (random.chance(AWAY) ? [bad, good] : [good]).map((one, index): Attempt => {
    const startedAt = new Date(firstMs + index * RETRY_MS).toISOString();
    return {
      ...one,
      changes: [...one.changes],
      number: index + 1,
      started_at: startedAt,
      duration_ms: 90 + random.below(400),
    };
  });
  const last = attempts.at(-1);
  const finishedAt = new Date(Date.parse(last?.started_at ?? '') + (last?.duration_ms ?? 0));
  return {
    attempts,
    delivery: {
      id: newId(choice.occurred_at),
      action_id: action.id,
      customer_id: choice.customer_id,
      choice_id: choice.id,
      event: action.event,
      status: 'arrived' as const,
      attempt_count: attempts.length,
      try_count: attempts.length,
      next_attempt_at: null,
      last_error: null,
      created_at: choice.occurred_at,
      finished_at: finishedAt,
      confirmed_at: finishedAt,
      outcome: 'confirmed' as const,
    },
  };
}
