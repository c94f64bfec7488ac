import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { LeaveReason } from '#contract/choices.ts';
import type { Language } from '#contract/fields.ts';
import { NO_TEST_RULES } from '#server/accounts/sites/test-rules.ts';
import type { CustomerRow } from '#server/audience/customers/customers.sql.ts';
import type { ChoosableList, CustomerState, WantedList } from '#server/audience/evidence/transitions.ts';
import { type ChoiceChange, type ChoiceContext, NO_VISIT } from '#server/choices/choices/choices.ts';
import { choiceContextOf } from '#server/choices/choices/choice-context.ts';
import { draftChoice } from '#server/choices/choices/draft.ts';
import type { ActionRow } from '#server/delivery/actions/actions.sql.ts';
import { matchActions } from '#server/delivery/actions/matching.ts';
import type { ServedPage } from '#server/pages/preference-pages/public-pages.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { createRandom, type Random } from './random.ts';
import { deliver } from './receiver.ts';
import { deliverToTool } from './tool-calls.ts';
import { FIRST_NAMES, LAST_NAMES } from './texts.ts';

const DAY_MS = 24 * 3_600_000;
export const DAYS = 90;

const LANGUAGES: [Language, number][] = [
  ['en', 45],
  ['de', 20],
  ['fr', 10],
  ['es', 8],
  ['it', 6],
  ['pl', 5],
  ['ro', 3],
  ['sl', 3],
];

const BROWSERS = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 16; Pixel 10) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/146.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/146.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15',
  'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0',
];

/** How likely a new person takes each list of the page, in the page's order. */
const INTEREST = [0.85, 0.45, 0.4, 0.35, 0.2, 0.12];

/** Who lives when: few are awake at night. */
const AWAKE_BY_HOUR = [1, 1, 1, 1, 1, 2, 5, 8, 9, 9, 9, 8, 8, 8, 7, 7, 8, 9, 10, 10, 9, 6, 4, 2];

export interface Past {
  siteId: string;
  host: string;
  pages: ServedPage[];
  lists: ChoosableList[];
  /** Those that wait for choices. */
  actions: ActionRow[];
  /** By the ids of the integrations: which tool it is. They have been connected since then. */
  tools: { since: Date; byIntegration: ReadonlyMap<string, { id: string; name: string }> };
  count: number;
  now: Date;
  seed: number;
  /** Of which deliveries the attempts are told; without it of all. */
  isTold?: Parameters<typeof deliver>[3]['isTold'];
  /** Addresses that are taken already. */
  emails?: Set<string>;
}

type Rows = ReturnType<typeof emptyRows>;

function emptyRows() {
  return {
    customers: [] as CustomerRow[],
    subscriptions: [] as { customer_id: string; list_id: string; subscribed: boolean; changed_at: Date }[],
    choices: [] as NonNullable<ReturnType<typeof draftChoice>>['choice'][],
    moves: [] as { choice_id: string; list_id: string; joined: boolean }[],
    reasons: [] as { choice_id: string; customer_id: string; reason: LeaveReason; created_at: Date }[],
    deliveries: [] as (ReturnType<typeof deliver> | ReturnType<typeof deliverToTool>)[],
  };
}

/** After this many lives, others get their turn: PostgreSQL drops connections of a process that is busy for too long. */
const LIVES_AT_ONCE = 50;

/** Three months of a site: its customers, what they chose, and what was delivered; every record by the product's own rules. */
export async function generatePast(services: Services, past: Past): Promise<Rows> {
  const random = createRandom(past.seed);
  const emails = past.emails ?? new Set<string>();
  const rows = emptyRows();
  for (let count = 0; count < past.count; count += 1) {
    liveOneLife(services, past, random, emails, rows);
    if (count % LIVES_AT_ONCE === 0) await setImmediate();
  }
  // By chances of their own: what was generated before there were reasons stays as it is.
  giveReasons(createRandom(past.seed + 1_000_000), rows);
  return rows;
}

const REASONS: [LeaveReason, number][] = [
  ['too_many', 46],
  ['not_relevant', 27],
  ['no_longer_customer', 12],
  ['never_signed_up', 6],
  ['other', 9],
];

/** Some of those who leave on a page say why, a moment later. */
function giveReasons(random: Random, rows: Rows): void {
  for (const { id, customer_id, events, source, occurred_at } of rows.choices) {
    const leaves = events.includes('global_unsubscribed') || events.includes('unsubscribed');
    if (!leaves || (source !== 'page' && source !== 'leave_link') || !random.chance(0.4)) continue;
    const at = new Date(occurred_at.getTime() + 20_000);
    rows.reasons.push({ choice_id: id, customer_id, reason: random.weighted(REASONS), created_at: at });
  }
}

function momentBetween(random: Random, fromMs: number, toMs: number): Date {
  for (;;) {
    const at = new Date(fromMs + random.next() * (toMs - fromMs));
    const isWeekend = at.getUTCDay() % 6 === 0;
    const awake = (AWAKE_BY_HOUR[at.getUTCHours()] ?? 1) / (isWeekend ? 16 : 10);
    if (toMs - fromMs < DAY_MS || random.chance(awake)) return at;
  }
}

function randomEmail(random: Random, taken: Set<string>): string {
  const plain = (name: string) => name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  for (;;) {
    const name = `${plain(random.pick(FIRST_NAMES))}.${plain(random.pick(LAST_NAMES))}`;
    const number = random.chance(0.3) ? String(1 + random.below(98)) : '';
    const email = `${name}${number}@${random.pick(['example.com', 'example.org', 'example.net', 'mail.example'])}`;
    if (taken.has(email)) continue;
    taken.add(email);
    return email;
  }
}

function randomIp(random: Random): string {
  const network = random.pick(['192.0.2', '198.51.100', '203.0.113']);
  return random.chance(0.3)
    ? `2001:db8:${random.below(9999).toString(16)}::1`
    : `${network}.${1 + random.below(250)}`;
}

const BY_OWNER: ChoiceContext = {
  source: 'owner',
  authority: 'owner',
  saveId: null,
  ...NO_VISIT,
};

function liveOneLife(services: Services, past: Past, random: Random, emails: Set<string>, rows: Rows): void {
  const nowMs = past.now.getTime();
  const bornAt = momentBetween(random, nowMs - DAYS * DAY_MS, nowMs - 600_000);
  const customer: CustomerRow = {
    site_id: past.siteId,
    id: newId(bornAt),
    email: randomEmail(random, emails),
    email_key: '',
    global_unsubscribe: false,
    paused_until: null,
    wrong_recipient_at: null,
    link_generation: 0,
    links_ended_at: null,
    sequence: 0,
    evidence_hash: null,
    person_salt: randomBytes(16),
    created_at: bornAt,
    updated_at: bornAt,
    erased_at: null,
    erased_key: null,
    merged_into: null,
    visit_id: null,
    visit_from: null,
  };
  let state: CustomerState = { globalUnsubscribe: false, pausedUntil: null, subscriptions: new Map() };
  const chosenAt = new Map<string, Date>();
  const visit = {
    siteId: past.siteId,
    host: past.host,
    ip: randomIp(random),
    userAgent: random.pick(BROWSERS),
    language: random.weighted(LANGUAGES),
  };
  const page = past.pages.length > 1 && random.chance(0.3) ? past.pages.at(-1) : past.pages[0];
  if (page === undefined) throw new Error('A past needs a page');

  const onPage = (authority: 'open' | 'proven', source: ChoiceContext['source'] = 'page'): ChoiceContext =>
    choiceContextOf(services, visit, page, { source, authority, saveId: newId() });
  const byLink = (source: 'one_click' | 'leave_link'): ChoiceContext => ({
    ...BY_OWNER,
    source,
    authority: 'link',
    ip: visit.ip,
    userAgent: source === 'one_click' ? null : visit.userAgent,
    language: source === 'one_click' ? null : visit.language,
  });

  function choose(at: Date, change: ChoiceChange, context: ChoiceContext, isNew = false): void {
    const made = {
      id: newId(at),
      at,
      firstEvents: isNew ? (['customer_created'] as const) : [],
      context,
      test: NO_TEST_RULES,
    };
    const draft = draftChoice(
      services.keyring,
      past.siteId,
      past.lists,
      { customer, before: state, changedAt: chosenAt },
      change,
      made,
    );
    if (draft === null) return;
    rows.choices.push(draft.choice);
    rows.moves.push(...draft.moves.map((move) => ({ ...move, choice_id: made.id })));
    const previousEmail = customer.email ?? '';
    Object.assign(customer, draft.customer);
    state = draft.after;
    for (const one of draft.changed) chosenAt.set(one.list_id, at);
    const { events, transition } = draft;
    const choice = {
      ...draft.choice,
      site_id: past.siteId,
      lists: transition.lists,
      shown: context.shown,
      replaced: null,
      requested: null,
      person_salt: customer.person_salt,
    };
    const telling = { random, nowMs, ...(past.isTold === undefined ? {} : { isTold: past.isTold }) };
    for (const action of matchActions(past.actions, { events, lists: transition.lists })) {
      const tool = past.tools.byIntegration.get(action.integration_id ?? '');
      if (tool === undefined) rows.deliveries.push(deliver(services, action, choice, telling));
      else if (at >= past.tools.since) {
        const person = { email: customer.email ?? '', previousEmail };
        rows.deliveries.push(deliverToTool(action, tool, choice, { ...person, random }));
      }
    }
  }

  const comesByItself = random.chance(0.55);
  choose(bornAt, {}, comesByItself ? onPage('open') : BY_OWNER, true);
  const firstMs = bornAt.getTime() + 30_000 + random.below(150_000);
  choose(
    new Date(firstMs),
    { lists: firstInterests(random, page, comesByItself) },
    comesByItself ? onPage('open') : BY_OWNER,
  );
  let lastMs = firstMs;
  for (
    let left = random.weighted([
      [0, 58],
      [1, 27],
      [2, 11],
      [3, 4],
    ] as const);
    left > 0;
    left -= 1
  ) {
    if (lastMs + 3_600_000 > nowMs) break;
    const at = momentBetween(random, lastMs + 1_800_000, nowMs - 30_000);
    lastMs = at.getTime();
    const { change, context } = changeOfMind(random, state, page, { onPage, byLink, emails });
    choose(at, change, context);
  }
  rows.customers.push(customer);
  for (const [listId, subscribed] of state.subscriptions) {
    const changedAt = chosenAt.get(listId) ?? bornAt;
    rows.subscriptions.push({ customer_id: customer.id, list_id: listId, subscribed, changed_at: changedAt });
  }
}

function firstInterests(random: Random, page: ServedPage, comesByItself: boolean): WantedList[] {
  return page.page.lists.flatMap((list, index) => {
    const subscribed = random.chance(INTEREST[index] ?? 0.1);
    return comesByItself || subscribed ? [{ list_id: list.id, subscribed }] : [];
  });
}

interface Ways {
  onPage: (authority: 'open' | 'proven', source?: ChoiceContext['source']) => ChoiceContext;
  byLink: (source: 'one_click' | 'leave_link') => ChoiceContext;
  emails: Set<string>;
}

/** People mostly leave, some change what they get, and a few come back. */
function changeOfMind(
  random: Random,
  state: CustomerState,
  page: ServedPage,
  { onPage, byLink, emails }: Ways,
): { change: ChoiceChange; context: ChoiceContext } {
  const listIds = page.page.lists.map((list) => list.id);
  const taken = listIds.filter((id) => state.subscriptions.get(id) === true);
  // Back for one list, as on the page, which shows every list off to someone who left.
  if (state.globalUnsubscribe) {
    const lists = listIds.map((id, index) => ({ list_id: id, subscribed: index === 0 }));
    return { change: { lists }, context: onPage('proven') };
  }
  const what = random.weighted([
    ['some lists', 40],
    ['one click', taken.length > 0 ? 26 : 0],
    ['leave all by link', 12],
    ['leave all', 10],
    ['email', 5],
    ['state link', taken.length > 0 ? 4 : 0],
  ] as const);
  if (what === 'one click') {
    return {
      change: { lists: [{ list_id: random.pick(taken), subscribed: false }] },
      context: byLink('one_click'),
    };
  }
  if (what === 'leave all by link')
    return { change: { globalUnsubscribe: true }, context: byLink('leave_link') };
  if (what === 'leave all') {
    const lists = listIds.map((id) => ({ list_id: id, subscribed: false }));
    return { change: { lists, globalUnsubscribe: true }, context: onPage('proven') };
  }
  if (what === 'email') return { change: { email: randomEmail(random, emails) }, context: onPage('proven') };
  if (what === 'state link') {
    const lists = [{ list_id: random.pick(taken), subscribed: false }];
    return { change: { lists }, context: onPage('proven', 'state_link') };
  }
  const lists = listIds.map((id) => ({
    list_id: id,
    subscribed: random.chance(0.25) ? !taken.includes(id) : taken.includes(id),
  }));
  return { change: { lists }, context: onPage('proven') };
}
