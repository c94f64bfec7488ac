import { describe, expect, it } from 'vitest';
import type { ChoiceEvent } from '#contract/choices.ts';
import type { ToolState } from '#server/connectors/connector.ts';
import { findConnector } from '#server/connectors/index.ts';
import type { ActionRow } from '#server/delivery/actions/actions.sql.ts';
import { findDiscrepancies, hasDesiredState } from './findings.ts';
import type { ComparedCustomer } from './desired-changes.ts';

const WEEKLY = 'weekly';
const OFFERS = 'offers';
const NOW = new Date('2026-11-21T12:00:00Z');

type Rule = Pick<ActionRow, 'type' | 'event' | 'list_ids' | 'operation'> & { target?: string };

function rulesOf(provider: string, rules: readonly Rule[]) {
  const connector = findConnector(provider);
  if (connector === undefined) throw new Error(`There is no connector ${provider}`);
  const actions = rules.map(({ target = '', ...rule }, index): ActionRow => ({
    ...rule,
    site_id: 'site',
    id: `action-${index}`,
    name: 'Tell the tool',
    enabled: true,
    integration_id: 'integration',
    target: target === '' ? {} : { id: target, name: target },
    secrets_sealed: null,
    failing_since: null,
    disabled_reason: null,
    target_gone_at: null,
    created_at: NOW,
    updated_at: NOW,
    deleted_at: null,
  }));
  return { connector, integrationId: 'integration', actions, listIds: [WEEKLY, OFFERS] };
}

function personWith(
  lists: Record<string, boolean>,
  more: Partial<ComparedCustomer> = {},
  hasLeft = false,
): ComparedCustomer {
  return {
    id: 'vera',
    email: 'vera@example.com',
    formerEmails: [],
    sequence: 1,
    changedAt: NOW,
    hasReturned: false,
    isUnderWay: false,
    wasTakenOff: false,
    now: { globalUnsubscribe: hasLeft, pausedUntil: null, subscriptions: new Map(Object.entries(lists)) },
    ...more,
  };
}

const rule = (
  event: ChoiceEvent,
  type: ActionRow['type'],
  operation: string | null,
  target?: string,
  lists: string[] = [],
): Rule => ({ event, type, operation, list_ids: lists, ...(target === undefined ? {} : { target }) });

const kindsOf = (provider: string, rules: readonly Rule[], customer: ComparedCustomer, state: ToolState) => {
  const { found, undecided } = findDiscrepancies(rulesOf(provider, rules), customer, state);
  return [...found.map(({ key, kind }) => `${kind} ${key}`), ...undecided.map((key) => `undecided ${key}`)];
};

const KNOWN: ToolState = { known: true, unsubscribed: false, lists: [], tags: [] };

describe('of two contradicting rules', () => {
  const ofList = [
    rule('subscribed', 'list', 'add', 'all'),
    rule('unsubscribed', 'list', 'remove', 'all'),
  ] as const;

  it('the one that lowers consent wins, but waits for a click', () => {
    const customer = personWith({ [WEEKLY]: true, [OFFERS]: false });
    expect(kindsOf('mailchimp', ofList, customer, { ...KNOWN, lists: ['all'] })).toEqual([
      'not_applied list:all',
    ]);
    expect(kindsOf('mailchimp', ofList, customer, KNOWN)).toEqual([]);
    const left = personWith({ [WEEKLY]: false, [OFFERS]: false });
    expect(kindsOf('mailchimp', ofList, left, { ...KNOWN, lists: ['all'] })).toEqual([
      'opt_out_missing list:all',
    ]);
  });

  it('neither wins where neither lowers consent', () => {
    const ofTag = [rule('subscribed', 'tag', 'remove', 'left'), rule('unsubscribed', 'tag', 'add', 'left')];
    const customer = personWith({ [WEEKLY]: true, [OFFERS]: false });
    expect(kindsOf('mailchimp', ofTag, customer, KNOWN)).toEqual([]);
    expect(kindsOf('mailchimp', ofTag, customer, { ...KNOWN, tags: ['left'] })).toEqual([]);
  });
});

describe('a difference', () => {
  it('is a missing opt-out for a tag only where somebody left', () => {
    const customer = personWith({ [WEEKLY]: false, [OFFERS]: true });
    const leaving = [rule('unsubscribed', 'tag', 'remove', 'reader', [WEEKLY])];
    const joining = [rule('subscribed', 'tag', 'remove', 'prospect', [OFFERS])];
    const state = { ...KNOWN, tags: ['reader', 'prospect'] };
    expect(kindsOf('mailchimp', leaving, customer, state)).toEqual(['opt_out_missing tag:reader']);
    expect(kindsOf('mailchimp', joining, customer, state)).toEqual(['not_applied tag:prospect']);
  });

  it('is not reported where the tool does not say', () => {
    const rules = [rule('subscribed', 'tag', 'add', 'reader')];
    const silent: ToolState = { known: true, unsubscribed: false };
    expect(kindsOf('mailchimp', rules, personWith({ [WEEKLY]: true }), silent)).toEqual([
      'undecided tag:reader',
    ]);
  });

  it('is not reported for an opt-out of somebody whom the tool does not know, except for what it should have added', () => {
    const leaver = personWith({}, {}, true);
    const rules = [
      rule('global_unsubscribed', 'global_unsubscribe', 'unsubscribe'),
      rule('unsubscribed', 'list', 'remove', '7'),
      rule('subscribed', 'list', 'add', '7'),
    ];
    expect(kindsOf('brevo', rules, leaver, { known: false })).toEqual([]);
    expect(kindsOf('brevo', rules, personWith({ [WEEKLY]: true }), { known: false })).toEqual([
      'not_applied list:7',
    ]);
  });

  it('is not reported for an automation that somebody is not in: they may have finished it', () => {
    const rules = [
      rule('subscribed', 'automation', 'start', 'welcome'),
      rule('unsubscribed', 'automation', 'stop', 'welcome'),
    ];
    expect(kindsOf('drip', rules, personWith({ [WEEKLY]: true }), { ...KNOWN, automations: [] })).toEqual([]);
    const left = personWith({ [WEEKLY]: false });
    expect(kindsOf('drip', rules, left, { ...KNOWN, automations: ['welcome'] })).toEqual([
      'opt_out_missing automation:welcome',
    ]);
  });

  it('is not reported for momentary events: being added, a new address, coming back without having left', () => {
    const rules = [
      rule('customer_created', 'list', 'add', 'all'),
      rule('email_changed', 'tag', 'add', 'moved'),
      rule('global_resubscribed', 'tag', 'add', 'back'),
    ];
    const customer = personWith({ [WEEKLY]: true });
    expect(kindsOf('mailchimp', rules, customer, KNOWN)).toEqual([]);
    expect(kindsOf('mailchimp', rules, { ...customer, hasReturned: true }, KNOWN)).toEqual([
      'not_applied tag:back',
    ]);
  });
});

describe('an opt-out that the tool reports', () => {
  const OUT: ToolState = { ...KNOWN, unsubscribed: true };

  it('prevents everything that would raise consent there', () => {
    const rules = [
      rule('subscribed', 'list', 'add', 'all'),
      rule('unsubscribed', 'tag', 'remove', 'offers', [OFFERS]),
    ];
    const customer = personWith({ [WEEKLY]: true, [OFFERS]: false });
    expect(kindsOf('mailchimp', rules, customer, { ...OUT, tags: ['offers'] })).toEqual([
      'opted_out_there global_unsubscribe',
      'opt_out_missing tag:offers',
      'undecided list:all',
    ]);
  });

  it('is never lifted by a rule that resubscribes', () => {
    const rules = [rule('global_resubscribed', 'global_unsubscribe', 'resubscribe')];
    const back = personWith({ [WEEKLY]: false }, { hasReturned: true });
    expect(kindsOf('sendgrid', rules, back, OUT)).toEqual(['undecided global_unsubscribe']);
  });

  it('is nothing new where it is our own doing, or the tool reports nothing to us', () => {
    const block = [rule('unsubscribed', 'global_unsubscribe', 'unsubscribe', undefined, [OFFERS])];
    const remove = [rule('unsubscribed', 'list', 'remove', 'offers', [OFFERS])];
    const customer = personWith({ [WEEKLY]: true, [OFFERS]: false });
    expect(kindsOf('mailchimp', block, customer, OUT)).toEqual([]);
    expect(kindsOf('mailchimp', remove, { ...customer, wasTakenOff: true }, OUT)).toEqual([]);
    expect(kindsOf('mailchimp', remove, customer, OUT)).toEqual(['opted_out_there global_unsubscribe']);
    expect(kindsOf('mailchimp', [], personWith({ [WEEKLY]: false }), OUT)).toEqual([]);
    expect(kindsOf('mailchimp', [], personWith({ [WEEKLY]: true }, {}, true), OUT)).toEqual([]);
    expect(kindsOf('mailchimp', [], personWith({ [WEEKLY]: true }), OUT)).toEqual([
      'opted_out_there global_unsubscribe',
    ]);
  });

  it('from a group counts for the linked lists that are received, unless a rule wants it so', () => {
    const state = { ...KNOWN, suppression_groups: ['1001'] };
    const tied = [rule('unsubscribed', 'suppression_group', 'add', '1001', [WEEKLY])];
    expect(kindsOf('sendgrid', tied, personWith({ [WEEKLY]: true }), state)).toEqual([
      'opted_out_there suppression_group:1001',
    ]);
    expect(kindsOf('sendgrid', tied, personWith({ [OFFERS]: true }), state)).toEqual([]);
    const both = [...tied, rule('unsubscribed', 'suppression_group', 'add', '1001', [OFFERS])];
    expect(kindsOf('sendgrid', both, personWith({ [WEEKLY]: true, [OFFERS]: false }), state)).toEqual([]);
  });
});

it('nobody is looked up who chose nothing, or without a rule that acts through the tool', () => {
  const rules = rulesOf('mailchimp', [rule('global_unsubscribed', 'global_unsubscribe', 'unsubscribe')]);
  expect(hasDesiredState(rules, personWith({}))).toBe(false);
  expect(hasDesiredState(rules, personWith({ [WEEKLY]: false }))).toBe(false);
  expect(hasDesiredState(rules, personWith({ [WEEKLY]: true }))).toBe(true);
  expect(hasDesiredState(rules, personWith({}, {}, true))).toBe(true);
  expect(hasDesiredState({ ...rules, actions: [] }, personWith({ [WEEKLY]: true }))).toBe(false);
});
