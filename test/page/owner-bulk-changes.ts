import type { BulkChange, BulkUndo, UndoneCustomer } from '#contract/bulk-changes.ts';
import type { OwnerShot, OwnerWindow } from './owner-shot.ts';

/* Bulk changes, at each step of their undo: as the server answers, because the demo world has none to undo. */

const ID = '01980000-0000-7000-8000-000000000001';
const AT = '2026-11-20T09:30:00.000Z';

const COUNTS: BulkUndo['counts'] = {
  customers: 5000,
  restored: 4955,
  partly: 5,
  kept: 40,
  unchanged: 0,
  subscribes: 2480,
  unsubscribes: 2470,
  new_customers: 12,
  applied: 0,
  deleted: 0,
};

const TELLS: BulkUndo['tells'] = [
  { action_id: ID, integration_id: null, customers: 2470, stays: 47, unknown: 3, unsent: 12 },
];

const by = { kind: 'user', id: ID, name: 'Nora' } as const;

function undo(status: BulkUndo['status'], counts: Partial<BulkUndo['counts']> = {}): BulkUndo {
  return {
    status,
    counts: { ...COUNTS, ...counts },
    tells: TELLS,
    started_by: status === 'checked' || status === 'checking' ? null : by,
    started_at: null,
    updated_at: AT,
    ended_at: null,
  };
}

const bulkChange = (parts: Partial<BulkChange> = {}): BulkChange => ({
  id: ID,
  kind: 'import',
  name: 'newsletter-november.csv',
  integration_id: null,
  actor: by,
  customers: 5000,
  started_at: AT,
  ended_at: AT,
  is_running: false,
  undo: null,
  ...parts,
});

const LISTED: BulkChange[] = [
  bulkChange({ undo: undo('applying', { applied: 1200 }) }),
  bulkChange({ id: ID.replace(/1$/, '2'), kind: 'edit', name: null, customers: 240, is_running: true }),
  bulkChange({ id: ID.replace(/1$/, '3'), kind: 'incoming', name: null, actor: null, customers: 1310 }),
  bulkChange({ id: ID.replace(/1$/, '4'), kind: 'repair', name: null, actor: null, customers: 3 }),
  bulkChange({ id: ID.replace(/1$/, '5'), undo: undo('finished') }),
];

const CUSTOMERS: UndoneCustomer[] = [
  {
    customer_id: ID,
    email: 'a.remarkably.long.name.for.an.email@newsletter-readers.example.com',
    verdict: 'restored',
    is_new: false,
    restores: [
      { about: 'everything', list_id: null, subscribed: true },
      { about: 'list', list_id: ID, subscribed: null },
    ],
    keeps: [{ about: 'list', list_id: ID, reason: 'saved_since' }],
    choice_id: null,
  },
  {
    customer_id: ID.replace(/1$/, '2'),
    email: 'vera@example.com',
    verdict: 'restored',
    is_new: true,
    restores: [],
    keeps: [],
    choice_id: null,
  },
];

const results = (all: readonly unknown[]) => ({ json: { results: all, next: null } });

/** Loads a screen again, with these answers. */
function answered(one: BulkChange, then: (page: OwnerWindow) => Promise<unknown>) {
  return async (page: OwnerWindow) => {
    await page.route('**/api/**/bulk-changes', (route) => route.fulfill(results(LISTED)));
    await page.route(`**/api/**/bulk-changes/${ID}`, (route) => route.fulfill({ json: one }));
    await page.route('**/api/**/undo/customers**', (route) => route.fulfill(results(CUSTOMERS)));
    await page.reload();
    await then(page);
  };
}

const here = (selector: string) => (page: OwnerWindow) => page.locator(selector).first().waitFor();

export const BULK_CHANGE = { name: 'a bulk change', path: `/bulk-changes/${ID}` };

export function bulkChangeShots(): OwnerShot[] {
  const shot = (state: string, one: BulkChange, selector: string): OwnerShot => ({
    ...BULK_CHANGE,
    state,
    who: 'shop',
    reach: answered(one, here(selector)),
  });
  return [
    {
      name: '/bulk-changes',
      path: '/bulk-changes',
      state: 'listed',
      who: 'shop',
      reach: answered(bulkChange(), here('main ul a')),
    },
    shot('to undo', bulkChange(), 'main section button'),
    shot('still running', bulkChange({ kind: 'edit', name: null, is_running: true }), 'main section button'),
    shot('being checked', bulkChange({ undo: undo('checking', { customers: 1800 }) }), '[role=progressbar]'),
    shot('previewed', bulkChange({ undo: undo('checked') }), '[data-form-bar]'),
    shot('being undone', bulkChange({ undo: undo('applying', { applied: 2100 }) }), '[role=progressbar]'),
    shot('deleting', bulkChange({ undo: undo('deleting', { deleted: 5 }) }), '[role=progressbar]'),
    shot('undone', bulkChange({ undo: undo('finished', { applied: 5000 }) }), 'main [role=status]'),
    { ...BULK_CHANGE, state: 'gone', who: 'shop' },
  ];
}
