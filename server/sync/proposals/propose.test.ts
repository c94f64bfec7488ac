import { describe, expect, it } from 'vitest';
import type { Proposals } from '#contract/proposals.ts';
import { CONNECTORS } from '#server/connectors/index.ts';
import { propose, type SiteSide, type ToolResource, type TopicKind, topicKinds } from './propose.ts';

const TOOL = 'the-integration';

function connectorOf(id: string) {
  const connector = CONNECTORS.find((one) => one.id === id);
  if (connector === undefined) throw new Error(`There is no ${id}`);
  return connector;
}

const resource = (name: string, more: Partial<ToolResource> = {}): ToolResource => ({
  kind: 'lists',
  id: `id of ${name}`,
  name,
  ...more,
});

const list = (name: string, more: Partial<SiteSide['lists'][number]> = {}) => ({
  id: `our ${name}`,
  name,
  description: '',
  translations: [],
  ...more,
});

const PAGE = { id: 'page', name: 'Preferences', lists: 1 };

function proposed(
  resources: readonly ToolResource[],
  site: Partial<SiteSide> = {},
  tool = 'brevo',
): Proposals {
  return propose(
    { connector: connectorOf(tool), integrationId: TOOL, resources },
    { name: 'Acme', lists: [], actions: [], pages: [], ...site },
    'en',
  );
}

/** What is proposed of lists: the doubt, `ticked`, or `exists`, by name. */
const standings = ({ lists }: Proposals) =>
  lists.map((one) => [one.name, one.doubt ?? (one.exists ? 'exists' : one.ticked ? 'ticked' : '')]);

function action(
  event: 'subscribed' | 'unsubscribed',
  id: string,
  more: Partial<SiteSide['actions'][number]> = {},
) {
  const operation = event === 'subscribed' ? 'add' : 'remove';
  const target = { id, name: 'whatever' };
  return { integration_id: TOOL, type: 'list' as const, event, list_ids: [], operation, target, ...more };
}

describe('a list of the tool', () => {
  it('without a counterpart is a new list, with actions in both directions', () => {
    const found = proposed([resource('Weekly news', { description: 'Every Monday' })]);
    expect(found.lists).toMatchObject([
      {
        id: null,
        ticked: true,
        name: 'Weekly news',
        description: 'Every Monday',
        actions: [
          { ticked: true, type: 'list', event: 'subscribed', operation: 'add' },
          { ticked: true, type: 'list', event: 'unsubscribed', operation: 'remove' },
        ],
      },
    ]);
    expect(found.page).toMatchObject({ name: 'Acme', custom_path: 'acme' });
    expect(found.actions.map(({ event }) => event)).toEqual([
      'global_unsubscribed',
      'global_resubscribed',
      'email_changed',
    ]);
  });

  it('with the name of a list of the site is its counterpart, whatever its case and accents', () => {
    const found = proposed([resource('CAFÉ-News')], { lists: [list('Cafe news')], pages: [PAGE] });
    expect(standings(found)).toEqual([['Cafe news', 'exists']]);
    expect(found.lists[0]?.actions.map(({ ticked }) => ticked)).toEqual([true, true]);
    expect(found.page).toMatchObject({ exists: true, ticked: false });
  });

  it('is recognized by the name of a translation', () => {
    const ours = list('Offers', { translations: [{ language: 'de', name: 'Angebote', description: '' }] });
    expect(standings(proposed([resource('Angebote')], { lists: [ours] }))).toEqual([['Offers', 'exists']]);
  });

  it('whose name only resembles one is left to the owner', () => {
    const found = proposed([resource('Weekly newsletter')], { lists: [list('Weekly news')] });
    expect(standings(found)).toEqual([['Weekly news', 'similar']]);
    expect(found.lists[0]?.actions.every(({ ticked }) => !ticked)).toBe(true);
  });

  it('becomes no new list because another one resembles a list that has its own counterpart', () => {
    const found = proposed([resource('Customers'), resource('Customer list')], {
      lists: [list('Customers')],
    });
    expect(standings(found)).toEqual([
      ['Customers', 'exists'],
      ['Customer list', 'ticked'],
    ]);
  });

  it('with a name that several have is left to the owner', () => {
    const twins = [resource('Weekly', { id: '1' }), resource('weekly', { id: '2' })];
    expect(standings(proposed(twins))).toEqual([
      ['Weekly', 'several'],
      ['weekly', 'several'],
    ]);
    const ours = [list('Weekly'), list('WEEKLY')];
    expect(standings(proposed([resource('Weekly')], { lists: ours }))).toEqual([['Weekly', 'several']]);
  });

  it('stays linked by its actions when either is renamed, and nothing is proposed again', () => {
    const ours = list('Now called otherwise');
    const events = ['subscribed', 'unsubscribed'] as const;
    const actions = events.map((event) => action(event, 'id of Weekly', { list_ids: [ours.id] }));
    const found = proposed([resource('Weekly')], { lists: [ours], actions });
    expect(standings(found)).toEqual([['Now called otherwise', 'exists']]);
    expect(found.lists[0]?.actions.map(({ exists }) => exists)).toEqual([true, true]);
  });

  it('that an owner linked in one direction only is not completed unasked', () => {
    const ours = list('Weekly');
    const actions = [action('subscribed', 'id of Weekly', { list_ids: [ours.id] })];
    const [only] = proposed([resource('Weekly')], { lists: [ours], actions }).lists;
    expect(only?.actions).toMatchObject([
      { exists: true, ticked: false },
      { exists: false, ticked: false, doubt: 'one_way' },
    ]);
  });

  it('that collects several lists of the site is the counterpart of none of them', () => {
    const ours = [list('A'), list('B')];
    const actions = [action('subscribed', 'id of All', { list_ids: ours.map(({ id }) => id) })];
    const found = proposed([resource('All')], { lists: ours, actions });
    expect(found.lists.flatMap((one) => one.actions).every(({ exists }) => exists)).toBe(true);
  });

  it('is not preselected where there are more than anybody would put on a page', () => {
    const many = Array.from({ length: 26 }, (_, index) => resource(`Topic ${index}`));
    expect(proposed(many).lists.every(({ doubt }) => doubt === 'many')).toBe(true);
    expect(proposed(many.slice(1)).lists.every(({ ticked }) => ticked)).toBe(true);
  });

  it.each(['', '\u0000', 'x'.repeat(400)])('with the name %j breaks nothing', (name) => {
    for (const { name: shown } of proposed([resource(name, { id: 'a' })]).lists) {
      expect(shown.length).toBeLessThanOrEqual(100);
    }
  });
});

describe('an owner', () => {
  const [weekly, offers] = [list('Weekly'), list('Offers')];
  const tool = { connector: connectorOf('brevo'), integrationId: TOOL, resources: [resource('Weekly')] };
  const site = { name: 'Acme', lists: [weekly, offers], actions: [], pages: [PAGE] };
  const key = proposed(tool.resources, site).lists[0]?.key ?? '';
  const linked = (listId: string | null, more: Partial<SiteSide> = {}) =>
    propose(tool, { ...site, ...more }, 'en', new Map([[key, listId]])).lists;

  it('may link a list of the tool to another list, or to a new one', () => {
    expect(linked(offers.id)).toMatchObject([
      { key, id: offers.id, name: 'Offers', tool_name: 'Weekly', exists: true },
    ]);
    expect(linked(null)).toMatchObject([{ key, id: null, name: 'Weekly', exists: false }]);
  });

  it('gets no other list in place of a deleted one', () => {
    expect(linked('gone')).toEqual([]);
  });

  it('changes nothing about what actions already link', () => {
    const actions = [action('subscribed', 'id of Weekly', { list_ids: [weekly.id] })];
    expect(linked(offers.id, { actions })).toMatchObject([{ id: weekly.id }]);
    expect(linked(null, { actions })).toMatchObject([{ id: weekly.id }]);
  });
});

describe('a list of the site', () => {
  const ours = list('Jobs');
  const isLinked = (actions: SiteSide['actions']) =>
    proposed([resource('Weekly')], { lists: [ours], actions }).site_lists;

  it('is linked once an action sends its changes to the tool', () => {
    expect(isLinked([])).toEqual([{ id: ours.id, name: 'Jobs', linked: false }]);
    const elsewhere = { integration_id: 'another', list_ids: [ours.id] };
    expect(isLinked([action('subscribed', 'x', elsewhere)])).toMatchObject([{ linked: false }]);
    expect(isLinked([action('subscribed', 'x', { list_ids: ['another'] })])).toMatchObject([
      { linked: false },
    ]);
    expect(isLinked([action('unsubscribed', 'x', { list_ids: [ours.id] })])).toMatchObject([
      { linked: true },
    ]);
    expect(isLinked([action('subscribed', 'x')])).toMatchObject([{ linked: true }]);
  });
});

describe('languages', () => {
  const both = [
    resource('Newsletter (DE)', { description: 'Jeden Montag' }),
    resource('Newsletter – English'),
  ];

  it('at the end of names make one list in several languages', () => {
    const found = proposed(both);
    expect(found.lists).toMatchObject([
      {
        name: 'Newsletter',
        ticked: true,
        translations: [
          { language: 'de', name: 'Newsletter', description: 'Jeden Montag' },
          { language: 'en', name: 'Newsletter' },
        ],
      },
    ]);
    expect(found.languages).toMatchObject({ languages: ['de'] });
  });

  it('of customers are unknown: leaving is sent to all lists, joining is left to the owner', () => {
    const [only] = proposed(both).lists;
    expect(only?.actions.map(({ event, doubt }) => [event, doubt])).toEqual([
      ['subscribed', 'languages'],
      ['unsubscribed', null],
      ['subscribed', 'languages'],
      ['unsubscribed', null],
    ]);
  });

  it.each([
    ['only one', [resource('Jobs (IT)')]],
    ['one beside the plain name', [...both, resource('Newsletter')]],
    ['the same twice', [resource('Jobs (DE)'), resource('Jobs (German)')]],
    ['of different audiences', both.map((one, index) => ({ ...one, within: `audience ${index}` }))],
  ])('are uncertain from %s', (_what, resources) => {
    expect(proposed(resources).lists).toHaveLength(resources.length);
  });

  it('are uncertain where the list is, too', () => {
    const [only] = proposed(both, { lists: [list('Newsletters')] }).lists;
    expect(only?.actions.map(({ doubt }) => doubt)).toEqual(['languages', 'similar', 'languages', 'similar']);
  });

  it('do not merge what the site already has as separate lists', () => {
    const lists = [list('Newsletter (DE)')];
    expect(proposed(both, { lists }).lists.map(({ id }) => id)).toEqual(['our Newsletter (DE)', null]);
  });

  it('of the site’s translations are those of the page', () => {
    const ours = list('Offers', { translations: [{ language: 'fr', name: 'Offres', description: '' }] });
    expect(proposed([], { lists: [ours] }).languages).toMatchObject({ languages: ['fr'] });
    expect(proposed([], { lists: [ours], pages: [PAGE] }).languages).toBeNull();
  });
});

describe('groups and tags', () => {
  const group = (name: string) => resource(name, { kind: 'suppression_groups', id: `group ${name}` });

  it('a suppression group is added to on leaving, and a list of the same name goes along', () => {
    const [only, ...others] = proposed([resource('Weekly'), group('weekly')], {}, 'hubspot').lists;
    expect(others).toEqual([]);
    expect(only?.actions.map(({ type, event, operation }) => [type, event, operation])).toEqual([
      ['list', 'subscribed', 'add'],
      ['list', 'unsubscribed', 'remove'],
      ['suppression_group', 'subscribed', 'remove'],
      ['suppression_group', 'unsubscribed', 'add'],
    ]);
    expect(only?.resources.map(({ reports_unsubscribes: told }) => told)).toEqual([false, true]);
  });

  it('lists beside groups may be internal', () => {
    expect(standings(proposed([resource('Customers'), group('Offers')], {}, 'sendgrid'))).toEqual([
      ['Customers', 'segment'],
      ['Offers', 'ticked'],
    ]);
    expect(standings(proposed([resource('Customers')], {}, 'sendgrid'))).toEqual([['Customers', 'ticked']]);
  });

  it('an audience with groups of its own is left to the owner, but its groups are not', () => {
    const groups = ['News', 'Offers'].map((title) =>
      resource(`Acme / Topics / ${title}`, { title, within: 'acme', id: `acme/${title}` }),
    );
    const found = proposed([resource('Acme', { id: 'acme' }), ...groups], {}, 'mailchimp');
    expect(standings(found)).toEqual([
      ['Acme', 'holds_others'],
      ['News', 'ticked'],
      ['Offers', 'ticked'],
    ]);
    expect(found.lists[1]?.actions[0]?.target?.name).toBe('Acme / Topics / News');
  });

  it('tags may be internal, and stand for a list of their name', () => {
    const tags = [resource('VIP', { kind: 'tags' }), resource('Weekly', { kind: 'tags' })];
    expect(standings(proposed(tags, { lists: [list('Weekly')] }, 'kit'))).toEqual([
      ['VIP', 'tag'],
      ['Weekly', 'exists'],
    ]);
  });
});

it('a tool without lists still gets the actions that are about no list, and no page', () => {
  const found = proposed([]);
  expect(found).toMatchObject({ resources: 0, lists: [], page: null });
  expect(found.actions).toHaveLength(3);
});

it('what customers would see at once, a page and its languages, is never preselected', () => {
  const both = [resource('Newsletter (DE)'), resource('Newsletter – English')];
  const { page, languages } = proposed(both);
  expect([page, languages]).toMatchObject([
    { ticked: false, doubt: 'shown' },
    { ticked: false, doubt: 'shown' },
  ]);
  expect(proposed(both, { pages: [PAGE] }).page).toMatchObject({ exists: true, doubt: null });
});

it.each(CONNECTORS.map((connector) => [connector.name, connector] as const))(
  'an action that deletes contacts in %s is not preselected, and every other about all emails is',
  (_name, connector) => {
    const { actions } = proposed([], {}, connector.id);
    const speaksOfDeleting = ({ type }: (typeof actions)[number]) => {
      const capability = connector.actions[type as 'switch_email'];
      return capability.can && /\bdeleted?s?\b/.test(capability.irreversible ?? '');
    };
    expect(actions.length).toBeGreaterThan(0);
    for (const one of actions) {
      const doubt = speaksOfDeleting(one) ? 'deletes' : null;
      expect([one.type, one.ticked, one.doubt]).toEqual([one.type, doubt === null, doubt]);
    }
  },
);

it('an existing action, even when it is off, is not proposed again', () => {
  const actions = [
    action('unsubscribed', '', { type: 'global_unsubscribe', operation: 'unsubscribe', target: {} }),
  ];
  const there = actions.map((one) => ({ ...one, event: 'global_unsubscribed' as const }));
  expect(proposed([], { actions: there }).actions.map(({ exists }) => exists)).toEqual([true, false, false]);
});

it.each(CONNECTORS.map((connector) => [connector.name, connector] as const))(
  'what is proposed for %s is possible for its actions',
  (_name, connector) => {
    const kinds = topicKinds(connector);
    expect(kinds.length).toBeGreaterThan(0);
    const resources = kinds.map((kind: TopicKind) => resource(`A ${kind}`, { kind }));
    const found = proposed(resources, {}, connector.id);
    const all = [...found.lists.flatMap(({ actions }) => actions), ...found.actions];
    expect(all.length).toBeGreaterThan(2);
    for (const { type, operation } of all) {
      const capability = connector.actions[type as 'list'];
      expect(capability.can && capability.operations).toContain(operation);
    }
  },
);
