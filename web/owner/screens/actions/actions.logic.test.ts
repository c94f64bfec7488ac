import { describe, expect, test } from 'vitest';
import { ACTION_TYPES, type Trigger } from '#contract/actions.ts';
import type { ConnectorInfo, Integration } from '#contract/integrations.ts';
import {
  type ActionForm,
  actionFormOf,
  ANY_LIST,
  changedFields,
  chosenLists,
  duplicateForm,
  editedActionForm,
  capabilityOf,
  toolOperationOf,
  TOOL_OPERATIONS,
  toolOperationsOf,
  formFieldOf,
  isAddressOf,
  isWebhookUrl,
  kindBodyOf,
  likelyOperation,
  newActionForm,
  noteOf,
  operationOf,
  splitOperation,
  suggestedName,
  targetBodyOf,
  targetOf,
  triggerLists,
  triggerOf,
} from './actions.logic.ts';
import { anAction } from './an-action.ts';

describe('an action that is not a webhook', () => {
  test('is named by its target, where it has one', () => {
    expect(targetOf({ target: { id: '7', name: 'Weekly' } })).toBe('Weekly');
    expect(targetOf({ target: {} })).toBe('');
  });

  test('that sends evidence is named by where it sends it', () => {
    expect(targetOf({ target: { email: 'law@example.com' } })).toBe('law@example.com');
    expect(targetOf({ target: { url: 'https://law.example/evidence' } })).toBe(
      'https://law.example/evidence',
    );
  });

  test('has an operation with a name, or none', () => {
    expect(operationOf({ operation: 'remove' })).toBe('remove');
    expect(operationOf({ operation: 'explode' })).toBeUndefined();
    expect(operationOf({ operation: null })).toBeUndefined();
  });
});

test('a suggested name contains tool, operation and target, and is never too long', () => {
  expect(suggestedName('Brevo', 'add to the list', { name: 'News' })).toBe('Brevo · add to the list: News');
  expect(suggestedName('Brevo', 'Unsubscribe from all', null)).toBe('Brevo · Unsubscribe from all');
  expect(suggestedName('Brevo', 'List', { name: `${'x'.repeat(85)} News` })).toBe(
    `Brevo · List: ${'x'.repeat(85)}`,
  );
});

describe('the trigger', () => {
  test('chosen lists are dropped when the event is not about lists', () => {
    expect(triggerOf({ event: 'customer_created', list_ids: ['weekly'] }).list_ids).toEqual([]);
    expect(triggerOf({ event: 'subscribed', list_ids: ['weekly'] }).list_ids).toEqual(['weekly']);
  });

  test('any list and single ones exclude each other', () => {
    expect(chosenLists([], [ANY_LIST])).toEqual([ANY_LIST]);
    expect(chosenLists(['a'], [ANY_LIST, 'a'])).toEqual([ANY_LIST]);
    expect(chosenLists([ANY_LIST], [ANY_LIST, 'a'])).toEqual(['a']);
    expect(chosenLists(['a', 'b'], ['a'])).toEqual(['a']);
    expect(chosenLists([ANY_LIST], [])).toEqual([]);
  });

  test('any list is an empty list in the API, and is read back as any list', () => {
    expect(triggerOf({ event: 'subscribed', list_ids: [ANY_LIST] }).list_ids).toEqual([]);
    const trigger: Trigger = { event: 'subscribed', list_ids: [] };
    expect(actionFormOf(anAction({ trigger })).list_ids).toEqual([ANY_LIST]);
  });

  test('names appear in the site’s order; deleted lists are counted', () => {
    const lists = [
      { id: 'a', name: 'Offers' },
      { id: 'b', name: 'Weekly news' },
    ];
    expect(triggerLists({ event: 'subscribed', list_ids: ['gone', 'b', 'a'] }, lists)).toEqual({
      names: ['Offers', 'Weekly news'],
      more: 0,
      missing: 1,
    });
  });

  test.each([
    [4, ['List 1', 'List 2', 'List 3', 'List 4'], 0],
    [5, ['List 1', 'List 2', 'List 3'], 2],
    [12, ['List 1', 'List 2', 'List 3'], 9],
  ])('for %i lists, a sentence names as many as fit', (count, names, more) => {
    const lists = Array.from({ length: count }, (_, index) => ({
      id: `${index}`,
      name: `List ${index + 1}`,
    }));
    const list_ids = lists.map(({ id }) => id);
    expect(triggerLists({ event: 'subscribed', list_ids }, lists)).toEqual({ names, more, missing: 0 });
  });
});

describe('the address', () => {
  test.each([
    ['https://example.com/hooks', true],
    ['http://localhost:4000/x', true],
    ['example.com', false],
    ['ftp://example.com', false],
    ['https://me:secret@example.com', false],
  ])('%s: %s', (url, valid) => {
    expect(isWebhookUrl(url)).toBe(valid);
  });
});

const BREVO = connectorInfo({
  global_unsubscribe: { operations: ['unsubscribe', 'resubscribe'], target: null },
  list: { operations: ['add', 'remove'], target: 'lists' },
});

function connectorInfo(abilities: Record<string, { operations: string[]; target: 'lists' | null }>) {
  const actions = Object.fromEntries(
    Object.entries(abilities).map(([type, ability]) => [
      type,
      { can: true as const, irreversible: null, note: null, note_operation: null, ...ability },
    ]),
  );
  const cannot = { can: false as const, reason: 'Not here.' };
  return { id: 'brevo', name: 'Brevo', actions: { tag: cannot, ...actions } } as unknown as ConnectorInfo;
}

describe('a note about a tool', () => {
  test('is shown with the operation that it is about, or with each', () => {
    const noted = (note_operation: string | null) => {
      const { list, ...actions } = BREVO.actions;
      return { ...BREVO, actions: { ...actions, list: { ...list, note: 'Not lifted.', note_operation } } };
    };
    const notesOf = (only: string | null) =>
      (['list_add', 'list_remove', 'global_unsubscribe_unsubscribe', ''] as const).map((one) =>
        noteOf(noted(only) as ConnectorInfo, one),
      );
    expect(notesOf('add')).toEqual(['Not lifted.', null, null, null]);
    expect(notesOf(null)).toEqual(['Not lifted.', 'Not lifted.', null, null]);
  });
});

describe('what is done in a tool', () => {
  test('is what the tool supports, and nothing else', () => {
    expect(toolOperationsOf(BREVO)).toEqual([
      'global_unsubscribe_unsubscribe',
      'global_unsubscribe_resubscribe',
      'list_add',
      'list_remove',
    ]);
    expect(toolOperationsOf(undefined)).toEqual([]);
    expect(capabilityOf(BREVO, 'tag_add')).toBeNull();
    expect(capabilityOf(BREVO, 'list_add')?.target).toBe('lists');
  });

  test.each([
    ['unsubscribed', 'list_remove'],
    ['subscribed', 'list_add'],
    ['global_unsubscribed', 'global_unsubscribe_unsubscribe'],
    ['email_changed', ''],
  ] as const)('when somebody has %s it is most likely %s', (event, toolOperation) => {
    expect(likelyOperation(event, toolOperationsOf(BREVO))).toBe(toolOperation);
  });

  test('has a type that the API knows, for every operation', () => {
    for (const toolOperation of TOOL_OPERATIONS)
      expect(ACTION_TYPES).toContain(splitOperation(toolOperation).type);
    expect(splitOperation('suppression_group_add')).toEqual({ type: 'suppression_group', operation: 'add' });
    expect(toolOperationOf({ type: 'tag', operation: 'remove' })).toBe('tag_remove');
    expect(toolOperationOf({ type: 'webhook', operation: null })).toBeUndefined();
  });
});

describe('what is sent', () => {
  const form = actionFormOf();

  test('for a webhook is its URL', () => {
    const webhook = { ...form, url: ' https://example.com/hooks ' };
    expect(kindBodyOf(webhook)).toEqual({ type: 'webhook' });
    expect(targetBodyOf(webhook)).toEqual({ url: 'https://example.com/hooks' });
  });

  test('for evidence is a URL, or a mailbox', () => {
    const evidence = { ...form, receiver: 'evidence', url: 'records@example.com' };
    expect(kindBodyOf(evidence)).toEqual({ type: 'evidence' });
    expect(targetBodyOf(evidence)).toEqual({ email: 'records@example.com' });
    expect(isAddressOf('evidence', 'records@example.com')).toBe(true);
    expect(isAddressOf('webhook', 'records@example.com')).toBe(false);
  });

  test('for a tool is the operation, and the target where there is one', () => {
    const list: ActionForm = {
      ...form,
      receiver: 'i1',
      toolOperation: 'list_remove',
      target: { id: '7', name: 'Weekly' },
    };
    expect(kindBodyOf(list)).toEqual({ type: 'list', operation: 'remove', integration_id: 'i1' });
    expect(targetBodyOf(list)).toEqual({ id: '7', name: 'Weekly' });
    expect(targetBodyOf({ ...list, toolOperation: 'global_unsubscribe_unsubscribe', target: null })).toEqual(
      {},
    );
  });
});

test.each([
  ['name', 'webhook', 'name'],
  ['target.url', 'webhook', 'url'],
  ['target', 'evidence', 'url'],
  ['target', 'i1', 'target'],
  ['operation', 'i1', 'toolOperation'],
  ['type', 'i1', 'toolOperation'],
  ['integration_id', 'i1', 'receiver'],
  ['trigger.list_ids.0', 'webhook', 'list_ids'],
  ['trigger.event', 'webhook', 'event'],
  ['version', 'webhook', null],
])('the API’s %s, of %s, is the form’s %s', (field, receiver, expected) => {
  expect(formFieldOf({ code: 'invalid_field', message: '', field }, receiver)).toBe(expected);
});

test('only the changed fields of an action are sent', () => {
  const before: ActionForm = {
    ...actionFormOf(),
    ...{ receiver: 'webhook', url: 'https://example.com/a', name: 'One', list_ids: ['a'] },
  };
  expect(changedFields(before, before)).toEqual({});
  expect(changedFields(before, { ...before, name: 'Two', url: 'https://example.com/b' })).toEqual({
    name: 'Two',
    target: { url: 'https://example.com/b' },
  });
  expect(changedFields(before, { ...before, list_ids: ['a', 'b'], enabled: false })).toEqual({
    enabled: false,
    trigger: { event: 'unsubscribed', list_ids: ['a', 'b'] },
  });
});

describe('a new action', () => {
  const capability = {
    can: true,
    operations: ['add', 'remove'],
    target: 'lists',
    note: null,
    note_operation: null,
    irreversible: null,
  };
  const connectors = [{ id: 'brevo', actions: { list: capability } } as unknown as ConnectorInfo];
  const at = (id: string, created_at: string) => ({ id, provider: 'brevo', created_at }) as Integration;
  const tools = [at('first', '2026-11-01T00:00:00Z'), at('newest', '2026-11-02T00:00:00Z')];

  test('begins in the requested tool, else in the newest', () => {
    expect(newActionForm(tools, connectors, [])).toMatchObject({
      receiver: 'newest',
      toolOperation: 'list_remove',
    });
    expect(newActionForm(tools, connectors, [], { tool: 'first' })).toMatchObject({ receiver: 'first' });
    expect(newActionForm(tools, connectors, [], { tool: 'gone' })).toMatchObject({ receiver: 'newest' });
  });

  test('in a tool has no list until one is chosen, unless the site has only one', () => {
    expect(newActionForm(tools, connectors, [{ id: 'a' }, { id: 'b' }]).list_ids).toEqual([]);
    expect(newActionForm(tools, connectors, [{ id: 'a' }]).list_ids).toEqual(['a']);
    const lists = [{ id: 'a' }, { id: 'b' }];
    expect(newActionForm(tools, connectors, lists, { list: 'b' }).list_ids).toEqual(['b']);
    expect(newActionForm(tools, connectors, lists, { list: 'gone' }).list_ids).toEqual([]);
    expect(newActionForm([], connectors, [{ id: 'a' }]).list_ids).toEqual([ANY_LIST]);
  });

  test('copied from another has its values under a new name, without deleted lists, and starts off', () => {
    const original = anAction({
      ...{ type: 'list', operation: 'remove', integration_id: 'first', enabled: true, name: 'Weekly' },
      ...{ target: { id: '7', name: 'News' }, trigger: { event: 'unsubscribed', list_ids: ['a', 'gone'] } },
    });
    expect(duplicateForm(original, [{ id: 'a' }], `${'x'.repeat(120)} (copy)`)).toEqual({
      event: 'unsubscribed',
      list_ids: ['a'],
      receiver: 'first',
      toolOperation: 'list_remove',
      target: { id: '7', name: 'News' },
      url: '',
      name: 'x'.repeat(100),
      enabled: false,
    });
    // All of its lists are gone: one has to be chosen. It never becomes an action for any list.
    expect(duplicateForm(original, [], 'Copy').list_ids).toEqual([]);
    const everything = { ...original, trigger: { event: 'global_unsubscribed' as const, list_ids: [] } };
    expect(editedActionForm(everything, [{ id: 'a' }]).list_ids).toEqual([]);
  });

  test('begins as a webhook where no tool is connected', () => {
    expect(newActionForm([], connectors, [])).toEqual(actionFormOf());
  });
});
