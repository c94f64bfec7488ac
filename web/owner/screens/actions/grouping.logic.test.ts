import { expect, test } from 'vitest';
import { anAction } from './an-action.ts';
import { type ActionGroup, failingSince, groupByList, groupByTool, startOf } from './grouping.logic.ts';

const actions = [
  anAction({ id: 'hook', type: 'webhook', trigger: { event: 'unsubscribed', list_ids: [] } }),
  anAction({
    id: 'both',
    type: 'list',
    integration_id: 'brevo',
    trigger: { event: 'unsubscribed', list_ids: ['offers', 'weekly'] },
  }),
  anAction({
    id: 'all',
    type: 'global_unsubscribe',
    integration_id: 'mailchimp',
    trigger: { event: 'global_unsubscribed', list_ids: [] },
  }),
  anAction({
    id: 'gone',
    type: 'tag',
    integration_id: 'brevo',
    trigger: { event: 'subscribed', list_ids: ['deleted'] },
  }),
];

const named = (...ids: string[]) => ids.map((id) => ({ id, name: id.toUpperCase() }));

const summary = (groups: readonly ActionGroup[]) =>
  groups.map((group) => [
    'name' in group ? group.name : group.kind,
    group.actions.map(({ action: { id }, isRepeated }) => (isRepeated ? `${id} again` : id)).join(),
  ]);

test('actions are grouped by tool, in the order of the tools, then those without a tool', () => {
  expect(summary(groupByTool(actions, named('brevo', 'drip', 'mailchimp')))).toEqual([
    ['BREVO', 'both,gone'],
    ['MAILCHIMP', 'all'],
    ['webhook', 'hook'],
  ]);
});

test('an action of an unlisted tool comes last', () => {
  expect(summary(groupByTool(actions, named('mailchimp')))).toEqual([
    ['MAILCHIMP', 'all'],
    ['webhook', 'hook'],
    ['other_tools', 'both,gone'],
  ]);
});

test('actions are grouped under each of their lists, and none is left out', () => {
  expect(summary(groupByList(actions, named('weekly', 'offers', 'unused')))).toEqual([
    ['WEEKLY', 'both'],
    ['OFFERS', 'both again'],
    ['any_list', 'hook'],
    ['no_list', 'all'],
    ['deleted_lists', 'gone'],
  ]);
});

test('the first groups show a limited number of rows with their names, and no group is empty', () => {
  const groups = groupByTool(actions, named('brevo', 'drip', 'mailchimp'));
  const startWith = (count: number) =>
    startOf(groups, count).map(({ group, first }) => [
      'name' in group ? group.name : group.kind,
      first.map(({ action }) => action.id).join(),
    ]);
  expect(startWith(1)).toEqual([]);
  expect(startWith(2)).toEqual([['BREVO', 'both']]);
  expect(startWith(4)).toEqual([['BREVO', 'both,gone']]);
  expect(startWith(5)).toEqual([
    ['BREVO', 'both,gone'],
    ['MAILCHIMP', 'all'],
  ]);
  expect(startOf(groups, Infinity).map(({ group, first }) => ({ ...group, actions: first }))).toEqual(groups);
});

test('the time since a tool fails is shown for its group, and not where receivers differ', () => {
  const [at, later] = ['2026-11-25T15:00:00Z', '2026-11-25T15:30:00Z'];
  const figures = new Map([
    ['hook', { failing_since: at }],
    ['both', { failing_since: later }],
    ['gone', { failing_since: at }],
    ['all', { failing_since: null }],
  ]);
  const tools = groupByTool(actions, named('brevo', 'mailchimp'));
  expect(tools.map((group) => failingSince(group, figures))).toEqual([at, null, null]);
  expect(tools.map((group) => failingSince(group, undefined))).toEqual([null, null, null]);
  const lists = groupByList(actions, named('weekly', 'offers'));
  expect(lists.every((group) => failingSince(group, figures) === null)).toBe(true);
});
