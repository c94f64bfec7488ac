import type { ChoiceEvent } from '#contract/choices.ts';
import type { CustomerDetails } from '#contract/customers.ts';
import type { Delivery, FailureCause } from '#contract/deliveries.ts';
import type { Facts, ToolFacts } from './facts.ts';
import { shellWord, SOURCE_WORDS, STATUS_WORDS, timeOf } from './words.ts';

/** One answer to "why do they still get mail?". */
export interface Reason {
  code:
    | 'unknown_email'
    | 'subscribed'
    | 'never_chose'
    | 'test_address'
    | 'not_delivered'
    | 'on_its_way'
    | 'held'
    | 'not_confirmed'
    | 'given_up'
    | 'tool_differs'
    | 'tool_not_connected'
    | 'no_action'
    | 'action_off'
    | 'no_tool'
    | 'nothing_found';
  says: string;
  /** What to do about it; null: nothing has to be done. */
  fix: string | null;
  /** IDs of the records that show it. */
  evidence: string[];
  deliveries: string[];
}

type Known = Facts & { customer: CustomerDetails };

/** Those after which somebody gets less, or nothing at their former address. */
const LOWERING: readonly ChoiceEvent[] = ['unsubscribed', 'global_unsubscribed', 'email_changed'];

const EVENT_WORDS: Record<ChoiceEvent, string> = {
  subscribed: 'that they subscribed',
  unsubscribed: 'that they unsubscribed from a list',
  global_unsubscribed: 'that they unsubscribed from all',
  global_resubscribed: 'that they resubscribed',
  email_changed: 'their new email',
  customer_created: 'that they are a new customer',
};

/** Of a delivery that was given up. */
const CAUSE_FIX: Record<FailureCause, string> = {
  bad_credentials: 'Enter new credentials under Integrations. The change is then sent.',
  refused: 'Read the delivery to see why, fix it in the tool or the action, then send it again.',
  not_found: 'What the action points to is gone. Choose another target, then send the delivery again.',
  rate_limited: 'Send the delivery again under Deliveries.',
  unavailable: 'Check that the receiver responds, then send the delivery again.',
};

/** Of one that is tried again. */
const RETRY_FIX: Partial<Record<FailureCause, string>> = {
  bad_credentials: CAUSE_FIX.bad_credentials,
  unavailable: 'Check that the receiver responds. We try again automatically.',
};

function reason(
  code: Reason['code'],
  says: string,
  fix: string | null,
  proof: Partial<Pick<Reason, 'evidence' | 'deliveries'>> = {},
): Reason {
  return { code, says, fix, evidence: proof.evidence ?? [], deliveries: proof.deliveries ?? [] };
}

/** Of each list that they receive: since when, and whether they had left it before. */
function whatTheyChose({ customer, lists, evidence, email }: Known): Reason[] {
  return customer.receives.map((id) => {
    const name = lists.find((list) => list.notification_list_id === id)?.name ?? id;
    const joined = evidence.findIndex(
      (record) =>
        record.lists.some((list) => list.list_id === id && list.subscribed) ||
        record.events.includes('global_resubscribed'),
    );
    const fix = `If they don't want it: sayso unsubscribe ${shellWord(email)} --list ${shellWord(name)}`;
    const record = evidence[joined];
    if (record === undefined) return reason('subscribed', `They receive "${name}".`, fix);
    const left = evidence
      .slice(joined + 1)
      .find(
        ({ events, lists: changed }) =>
          events.includes('global_unsubscribed') ||
          changed.some((list) => list.list_id === id && !list.subscribed && list.declined !== true),
      );
    const before =
      left === undefined
        ? ''
        : ` They had unsubscribed on ${timeOf(left.occurred_at)} UTC ${SOURCE_WORDS[left.source]}.`;
    const says = `They receive "${name}": switched on ${timeOf(record.occurred_at)} UTC ${SOURCE_WORDS[record.source]}.${before}`;
    const shown = left === undefined ? [record.id] : [record.id, left.id];
    return reason('subscribed', says, fix, { evidence: shown });
  });
}

function isStillSo({ event, lists }: Delivery, { customer }: Known): boolean {
  if (event === 'email_changed') return true;
  if (event === 'global_unsubscribed') return customer.global_unsubscribe;
  return lists.some(({ list_id, subscribed }) => !subscribed && !customer.receives.includes(list_id));
}

function ofDelivery(delivery: Delivery): Reason | null {
  const { status, outcome, cause, last_error: error, event, next_attempt_at: next, id } = delivery;
  const receiver = delivery.tool_name ?? `The receiver of "${delivery.action_name}"`;
  const what = EVENT_WORDS[event];
  const since = `${timeOf(delivery.created_at)} UTC`;
  const proof = { deliveries: [id], evidence: [delivery.choice_id] };
  if (outcome === 'test') {
    const says = `${receiver} doesn't know ${what}: this is a test address, and nothing about it is ever sent.`;
    return reason('test_address', says, 'Remove it from the test addresses in the site settings.', proof);
  }
  if (outcome === 'held') {
    const says = `${receiver} doesn't know ${what} (${since}): the site is in test mode, and the change waits.`;
    return reason('held', says, 'Go live in the site settings. Waiting changes are then sent.', proof);
  }
  if (outcome === 'tool_off' || outcome === 'action_off') {
    const off = outcome === 'tool_off' ? 'the tool is off' : 'the action is off';
    const says = `${receiver} doesn't know ${what} (${since}): the delivery was given up because ${off}.`;
    return reason('given_up', says, 'Turn it on again, then send the delivery again.', proof);
  }
  if (status === 'failed') {
    const says = `${receiver} doesn't know ${what} (${since}): the delivery failed. ${error ?? ''}`.trim();
    return reason('not_delivered', says, CAUSE_FIX[cause ?? 'refused'], proof);
  }
  if (status === 'waiting') {
    const failed = error === null ? '' : ` The last attempt failed: ${error}`;
    const when = next === null ? '' : ` The next attempt is at ${timeOf(next)} UTC.`;
    const says = `${receiver} doesn't know ${what} yet (${since}).${failed}${when}`;
    return reason('on_its_way', says, (cause === null ? null : RETRY_FIX[cause]) ?? null, proof);
  }
  if (outcome === 'checking' || outcome === 'unconfirmed') {
    const says = `${receiver} accepted ${what} (${since}), and doesn't show it.`;
    return reason('not_confirmed', says, 'Look the email up in the tool.', proof);
  }
  return null;
}

/** The last word to each action about leaving, where it has not arrived. */
function whatDidNotArrive(facts: Known): Reason[] {
  const seen = new Set<string>();
  return facts.deliveries.flatMap((delivery) => {
    if (!LOWERING.includes(delivery.event)) return [];
    const action = delivery.action_id ?? delivery.action_name;
    if (seen.has(action)) return [];
    seen.add(action);
    const found = isStillSo(delivery, facts) ? ofDelivery(delivery) : null;
    return found === null ? [] : [found];
  });
}

const hasLeft = ({ customer, lists }: Known): boolean =>
  customer.global_unsubscribe || lists.some(({ subscribed }) => subscribed === false);

function ofTool({ integration, differences, compared_at: at }: ToolFacts, facts: Known): Reason[] {
  const { id, name, status, status_reason: why } = integration;
  const found: Reason[] = [];
  if (status !== 'connected') {
    const says = `${name}: ${STATUS_WORDS[status]}. ${why ?? ''}`.trim();
    found.push(reason('tool_not_connected', says, 'Connect it again under Integrations.'));
  }
  for (const { kind, error } of differences) {
    if (kind === 'opted_out_there') continue;
    const says = `${name} differs from what they chose, as of the last comparison${at === null ? '' : ` (${timeOf(at)} UTC)`}. ${error ?? ''}`;
    found.push(reason('tool_differs', says.trim(), `Fix the difference under Integrations, ${name}.`));
  }
  const actions = facts.actions.filter(
    ({ integration_id, trigger }) =>
      integration_id === id && ['unsubscribed', 'global_unsubscribed'].includes(trigger.event),
  );
  if (hasLeft(facts) && !actions.some(({ enabled }) => enabled)) {
    const [off] = actions;
    found.push(
      off === undefined
        ? reason('no_action', `No action sends unsubscribes to ${name}.`, `Create one under Actions.`)
        : reason(
            'action_off',
            `The action "${off.name}" is off, so nothing is sent to ${name}.`,
            'Turn it on.',
          ),
    );
  }
  return found;
}

/**
 * Why somebody may still get mail, as far as Sayso can know: from what they chose, what was delivered, and what the tools
 * had at their last comparison. Never empty.
 */
export function reasonsOf(facts: Facts): Reason[] {
  const { email, customer, similar, tools, actions } = facts;
  if (customer === null) {
    const others = similar.length === 0 ? '' : ` Emails that start the same: ${similar.join(', ')}.`;
    const says = `No customer of this site has the email ${email}, so Sayso knows no choice of theirs.${others}`;
    const fix =
      'Check the spelling, and the other sites of your organization. Look the email up in your email tools.';
    return [reason('unknown_email', says, fix)];
  }
  const known: Known = { ...facts, customer };
  const found = [...whatTheyChose(known), ...whatDidNotArrive(known)];
  for (const tool of tools) found.push(...ofTool(tool, known));
  if (customer.test && !found.some(({ code }) => code === 'test_address')) {
    const says = 'This is a test address: nothing about it is ever sent to your tools.';
    found.push(reason('test_address', says, 'Remove it from the test addresses in the site settings.'));
  }
  if (!customer.global_unsubscribe && facts.lists.every(({ subscribed }) => subscribed === null)) {
    const says = 'They have never chosen anything, so nothing was sent to your tools.';
    found.push(
      reason(
        'never_chose',
        says,
        `Ask them to choose by their personal link: sayso links ${shellWord(email)}`,
      ),
    );
  }
  if (tools.length === 0 && !actions.some(({ enabled }) => enabled)) {
    const says =
      'No email tool is connected and no action is on, so nothing is sent to a tool that sends email.';
    found.push(reason('no_tool', says, 'Connect your email tool, then create actions.'));
  }
  if (found.length > 0) return found;
  const says =
    'Nothing that Sayso knows explains it: they receive no list, and everything was delivered. The email may come from a system that is not connected, or was sent before they unsubscribed.';
  return [reason('nothing_found', says, 'Look at who sent the email, and check it under Check an email.')];
}
