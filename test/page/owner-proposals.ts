import type { ProposalDoubt, ProposedList, Proposals } from '#contract/proposals.ts';
import type { OwnerShot, OwnerWindow } from './owner-shot.ts';
import type { OwnerWorld } from './owner-world.ts';

const proposedLine = (key: string, doubt: ProposalDoubt | null, exists = false) => ({
  key,
  exists,
  ticked: !exists && doubt === null,
  doubt,
});

/** What a tool's list gets, in both directions. */
function proposedList(name: string, doubt: ProposalDoubt | null = null, there = false): ProposedList {
  const target = { id: name, name: `Acme / Topics / ${name}` };
  const way = (event: 'subscribed' | 'unsubscribed', operation: string) => ({
    ...proposedLine(`${event}:${name}`, doubt, there),
    type: 'list' as const,
    event,
    operation,
    target,
  });
  return {
    ...proposedLine(`list:${name}`, doubt, there),
    id: there ? '019ab1f2-5c1e-7a51-b02d-6f0f5a3d9e11' : null,
    name,
    tool_name: name,
    description: '',
    translations: [],
    resources: [{ kind: 'lists', ...target, language: null, reports_unsubscribes: doubt === null }],
    actions: [way('subscribed', 'add'), way('unsubscribed', 'remove')],
  };
}

const ABOUT_NO_LIST: Proposals['actions'] = [
  {
    ...proposedLine('global', null),
    type: 'global_unsubscribe',
    event: 'global_unsubscribed',
    operation: 'unsubscribe',
    target: null,
  },
  {
    ...proposedLine('email', 'deletes'),
    type: 'switch_email',
    event: 'email_changed',
    operation: 'change',
    target: null,
  },
];

export const PROPOSED: Proposals = {
  resources: 6,
  lists: [
    proposedList('Weekly news'),
    proposedList('Events near you'),
    proposedList('Acme newsletter', 'holds_others'),
    { ...proposedList('Offers', 'similar'), tool_name: 'Offer' },
    proposedList('Product updates', null, true),
  ],
  site_lists: [
    { id: '019ab1f2-5c1e-7a51-b02d-6f0f5a3d9e11', name: 'Product updates', linked: true },
    { id: '019ab1f2-5c1e-7a51-b02d-6f0f5a3d9e12', name: 'Offers', linked: false },
  ],
  page: {
    ...proposedLine('page', 'shown'),
    name: 'Acme Outdoor',
    custom_path: 'acme-outdoor',
    language: 'en',
  },
  languages: { ...proposedLine('languages', 'shown'), languages: ['de', 'fr'] },
  pages: [],
  actions: ABOUT_NO_LIST,
};

const PAGES = ['Acme Outdoor', 'Acme for dealers'].map((name, at) => ({
  key: `page:${at}`,
  id: `019ab1f2-5c1e-7a51-b02d-6f0f5a3d9e3${at}`,
  name,
}));

/** Of a site that has pages. */
const WITH_PAGES: Proposals = {
  ...PROPOSED,
  page: PROPOSED.page && { ...PROPOSED.page, exists: true, doubt: null },
  languages: null,
  pages: PAGES,
};

/** Answers for a tool of which nothing is known in advance; creates nothing. */
const withProposals =
  (answer: Proposals, then: (page: OwnerWindow) => Promise<unknown>) => async (page: OwnerWindow) => {
    const link = (name: string) => ({ name, url: 'https://acme.example/acme' });
    const made = {
      skipped: 0,
      lists: ['Weekly news', 'Events near you'].map((name, at) => ({
        id: `019ab1f2-5c1e-7a51-b02d-6f0f5a3d9e2${at}`,
        name,
      })),
      page:
        answer.pages.length > 0
          ? null
          : { id: '019ab1f2-5c1e-7a51-b02d-6f0f5a3d9e30', ...link('Acme Outdoor') },
      extended_pages: answer.pages.map(({ id, name }) => ({ id, ...link(name) })),
      actions: ['a', 'b', 'c', 'd', 'e', 'f'].map((name, at) => ({
        id: `019ab1f2-5c1e-7a51-b02d-6f0f5a3d9e4${at}`,
        name,
      })),
    };
    await page.route('**/proposals*', (route) =>
      route.fulfill({ json: route.request().method() === 'POST' ? made : answer }),
    );
    await page.reload();
    await then(page);
  };

/** Recognition: what a tool has, matched with what the site has. */
export function setUpShots({ shop }: OwnerWorld): OwnerShot[] {
  const screen = {
    name: 'setting up a tool',
    path: `/integrations/${shop.integration}/set-up`,
    who: 'shop',
  } as const;
  const create = (page: OwnerWindow) => page.getByRole('button', { name: 'Create selected items' });
  const empty = {
    resources: 0,
    lists: [],
    site_lists: [],
    page: null,
    languages: null,
    pages: [],
    actions: ABOUT_NO_LIST,
  };
  const nothing = { ...empty, actions: [] };
  return [
    { ...screen, state: 'ready', reach: withProposals(PROPOSED, (page) => create(page).waitFor()) },
    {
      ...screen,
      state: 'of a tool without lists',
      reach: withProposals(empty, (page) => page.getByRole('button', { name: 'Check again' }).waitFor()),
    },
    {
      ...screen,
      state: 'with nothing left',
      reach: withProposals(nothing, (page) => page.getByText('Everything is set up').waitFor()),
    },
    {
      ...screen,
      state: 'created',
      reach: withProposals(PROPOSED, async (page) => {
        await create(page).click();
        await page.getByText('9 items created').waitFor();
      }),
    },
    {
      ...screen,
      state: 'of a site with pages',
      reach: withProposals(WITH_PAGES, (page) => create(page).waitFor()),
    },
    {
      ...screen,
      state: 'added to pages',
      reach: withProposals(WITH_PAGES, async (page) => {
        await create(page).click();
        await page.getByText('8 items created').waitFor();
      }),
    },
  ];
}
