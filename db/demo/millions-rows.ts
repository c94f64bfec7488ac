import type { ChoiceSource, LeaveReason } from '#contract/choices.ts';
import { emailKey } from '#contract/email-key.ts';
import { NO_TEST_RULES } from '#server/accounts/sites/test-rules.ts';
import {
  type Addition,
  choiceCounts,
  customerCounts,
  deliveryCounts,
  subscriberCounts,
} from '#server/audience/counters/counters.ts';
import type { ChoosableList, CustomerState } from '#server/audience/evidence/transitions.ts';
import { type ChoiceChange, type ChoiceContext, NO_VISIT } from '#server/choices/choices/choices.ts';
import { choiceContextOf } from '#server/choices/choices/choice-context.ts';
import { draftChoice } from '#server/choices/choices/draft.ts';
import type { ActionRow } from '#server/delivery/actions/actions.sql.ts';
import { matchActions } from '#server/delivery/actions/matching.ts';
import { storedRequest } from '#server/delivery/deliveries/deliveries.sql.ts';
import type { ServedPage } from '#server/pages/preference-pages/public-pages.ts';
import { newId } from '#server/platform/ids.ts';
import { pooledRandom } from '#server/platform/random.ts';
import type { Services } from '#server/platform/services.ts';
import { createCopyText, type CopyText } from './copy-rows.ts';
import { createRandom, type Random } from './random.ts';
import { deliver } from './receiver.ts';
import { FIRST_NAMES, LAST_NAMES } from './texts.ts';

const DAY_MS = 86_400_000;

/** Customers were created over this many days. */
export const DAYS = 400;

/**
 * One customer in this many was added through the API and has made a choice since. The others have no records at all:
 * sealing and hashing ten million of them would take another hour.
 */
export const CHOOSES_ONE_IN = 10;

/** They choose within this time after they were created. */
const CHOOSE_WITHIN_MS = 30 * DAY_MS;

/** Deliveries that arrived longer ago have no attempts. */
const ATTEMPTS_OF_MS = 7 * DAY_MS;

/** Nothing is more recent than this. */
const UNTIL_AGO_MS = 600_000;

/** A site as its customers are generated for it. */
export interface SeededSite {
  id: string;
  host: string;
  lists: ChoosableList[];
  page: ServedPage;
  actions: ActionRow[];
  /** Of the API key that added the customers. */
  keyId: string;
}

/** A portion of the customers of a site: numbers from `from`, `count` of them, of `total` in the end. */
export interface Portion {
  site: SeededSite;
  from: number;
  count: number;
  total: number;
  nowMs: number;
}

export interface PortionRows {
  text: CopyText;
  counts: { siteId: string; additions: Addition[] }[];
}

type Generating = Pick<Services, 'keyring' | 'config' | 'clock'>;

const HOSTS = ['example.com', 'example.org', 'example.net', 'mail.example'] as const;

const plain = (name: string) => name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
const FIRST = FIRST_NAMES.map(plain);
const LAST = LAST_NAMES.map(plain);

const REASONS: [LeaveReason, number][] = [
  ['too_many', 46],
  ['not_relevant', 27],
  ['no_longer_customer', 12],
  ['never_signed_up', 6],
  ['other', 9],
];

/** Customers of one or of several sites with all that belongs to them, by the product's own rules, as text for COPY. */
export function generatePortions(services: Generating, portions: readonly Portion[]): PortionRows {
  const text = createCopyText();
  const counts = portions.map((portion) => {
    const sums = new Map<string, Addition>();
    const random = createRandom(portion.from + Number.parseInt(portion.site.id.slice(-6), 16));
    for (let index = 0; index < portion.count; index += 1) {
      for (const one of generateCustomer(services, portion, portion.from + index, random, text)) {
        const key = `${one.day} ${one.metric} ${one.list_id}`;
        const sum = sums.get(key);
        if (sum === undefined) sums.set(key, { ...one });
        else sum.value += one.value;
      }
    }
    return { siteId: portion.site.id, additions: [...sums.values()] };
  });
  return { text: text.end(), counts };
}

function generateCustomer(
  services: Generating,
  { site, total, nowMs }: Portion,
  number: number,
  random: Random,
  text: ReturnType<typeof createCopyText>,
): Addition[] {
  const untilMs = nowMs - UNTIL_AGO_MS;
  const createdMs = Math.floor(untilMs - DAYS * DAY_MS * (1 - (number + random.next()) / total));
  const createdAt = new Date(createdMs);
  // The number makes it unique, also among the addresses of the other demo data.
  const email = `${random.pick(FIRST)}.${random.pick(LAST)}-${number.toString(36)}@${random.pick(HOSTS)}`;
  const customer = {
    id: newId(createdAt),
    email,
    email_key: emailKey(email),
    global_unsubscribe: false,
    paused_until: null as Date | null,
    sequence: 0,
    evidence_hash: null as Buffer | null,
    person_salt: pooledRandom(16),
    created_at: createdAt,
    updated_at: createdAt,
  };
  const counts = customerCounts(customer.id, 1);
  let state: CustomerState = { globalUnsubscribe: false, pausedUntil: null, subscriptions: new Map() };

  function choose(at: Date, change: ChoiceChange, context: ChoiceContext, isNew: boolean): void {
    const made = {
      id: newId(at),
      at,
      firstEvents: isNew ? (['customer_created'] as const) : [],
      context,
      test: NO_TEST_RULES,
    };
    const draft = draftChoice(
      services.keyring,
      site.id,
      site.lists,
      { customer, before: state, changedAt: new Map() },
      change,
      made,
    );
    if (draft === null) return;
    text.add(site.id, 'choices', draft.choice);
    for (const move of draft.moves) {
      text.add(site.id, 'subscription_changes', { ...move, choice_id: made.id });
    }
    const { events, transition } = draft;
    const matching = matchActions(site.actions, { events, lists: transition.lists });
    counts.push(
      ...choiceCounts({ ...draft.choice, events, lists: transition.lists }, matching.length, draft.moves),
      ...subscriberCounts(draft.subscribers),
    );
    Object.assign(customer, draft.customer);
    state = draft.after;
    addReason(made.id, at, context.source, events);
    for (const action of matching) {
      addDelivery(action, { ...draft.choice, ...draft.record, site_id: site.id });
    }
  }

  function addReason(choiceId: string, at: Date, source: ChoiceSource, events: readonly string[]): void {
    const leaves = events.includes('global_unsubscribed') || events.includes('unsubscribed');
    if (!leaves || source === 'one_click' || !random.chance(0.4)) return;
    text.add(site.id, 'leave_reasons', {
      choice_id: choiceId,
      customer_id: customer.id,
      reason: random.weighted(REASONS),
      created_at: new Date(at.getTime() + 20_000),
    });
  }

  function addDelivery(action: ActionRow, choice: Parameters<typeof deliver>[2]): void {
    const { delivery, attempts } = deliver(services, action, choice, {
      random,
      nowMs,
      isTold: ({ status, created_at }) =>
        status !== 'arrived' || created_at.getTime() > nowMs - ATTEMPTS_OF_MS,
    });
    text.add(site.id, 'deliveries', delivery);
    for (const attempt of attempts) {
      text.add(site.id, 'delivery_attempts', {
        delivery_id: delivery.id,
        number: attempt.number,
        started_at: attempt.started_at,
        duration_ms: attempt.duration_ms,
        outcome: attempt.outcome,
        request: storedRequest(attempt),
        response: attempt.response === null ? null : JSON.stringify(attempt.response),
        error: attempt.error,
      });
    }
    counts.push(...deliveryCounts(delivery.id, 1));
  }

  if (number % CHOOSES_ONE_IN === 0) {
    const saveId = `edit:api_key:${site.keyId}:${newId()}`;
    choose(createdAt, {}, { source: 'api', authority: 'api_key', saveId, ...NO_VISIT }, true);
    const at = new Date(createdMs + 60_000 + random.next() * Math.min(CHOOSE_WITHIN_MS, untilMs - createdMs));
    const { change, context } = generateChoice(services, site, random);
    choose(at, change, context, false);
    for (const [listId, subscribed] of state.subscriptions) {
      text.add(site.id, 'subscriptions', {
        customer_id: customer.id,
        list_id: listId,
        subscribed,
        changed_at: at,
      });
    }
  }
  text.add(site.id, 'customers', customer);
  return counts;
}

const BROWSER =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1';

/** How likely somebody takes each list of the page, in the page's order. */
const INTEREST = [0.8, 0.4, 0.2];

function generateChoice(
  services: Generating,
  site: SeededSite,
  random: Random,
): { change: ChoiceChange; context: ChoiceContext } {
  const lists = site.page.page.lists;
  const how = random.next();
  const byLink = { authority: 'link', saveId: null, ...NO_VISIT } as const;
  if (how < 0.15 && lists[0] !== undefined) {
    const change = { lists: [{ list_id: lists[0].id, subscribed: false }] };
    return { change, context: { ...byLink, source: 'one_click', ip: `203.0.113.${1 + random.below(250)}` } };
  }
  if (how < 0.25) {
    return { change: { globalUnsubscribe: true }, context: { ...byLink, source: 'leave_link' } };
  }
  const visit = {
    siteId: site.id,
    host: site.host,
    ip: `198.51.100.${1 + random.below(250)}`,
    userAgent: BROWSER,
    language: 'en' as const,
  };
  return {
    change: {
      lists: lists.map(({ id }, index) => ({
        list_id: id,
        subscribed: random.chance(INTEREST[index] ?? 0.1),
      })),
    },
    context: choiceContextOf(services, visit, site.page, {
      source: 'page',
      authority: 'proven',
      saveId: newId(),
    }),
  };
}
