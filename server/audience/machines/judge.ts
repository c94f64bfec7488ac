import type { ChoiceSource } from '#contract/choices.ts';
import { type Judgement, MACHINE_SIGNS, type MachineSign, type Verdict } from '#contract/judgements.ts';
import { isOutdated, isScript } from './user-agents.ts';

/*
 * Security scanners open the links of an email, and some click what they find. Whether a choice was made by one is judged
 * here, from what its evidence says and from the choices right before and after. The judgement is a label: the choice
 * counts either way, because an opt-out counts no matter who sent it (decision 051).
 */

/** Choices that visitors make. Owners, tools, imports and timers are none of them. */
export const VISITOR_SOURCES = [
  'page',
  'state_link',
  'leave_link',
  'confirm_link',
  'one_click',
  'wrong_recipient',
] as const satisfies readonly ChoiceSource[];

/** What the evidence says about how a visitor's choice was made. */
export interface VisitorChoice {
  id: string;
  customerId: string;
  source: ChoiceSource;
  atMs: number;
  /** Anonymised: the network, not the address. null: not recorded. */
  network: string | null;
  /** null: not recorded, or the customer was erased. */
  userAgent: string | null;
  /** What was pressed: choices through one link or page have the same text. */
  link: string;
  /** When the email with the link was requested; null where it came with an email of the business. */
  requestedAtMs: number | null;
  /** The link was made on the day of the choice; null: it doesn't say when. */
  isLinkOfSameDay: boolean | null;
  /** The URL had parameters that were changed on the way. */
  isLinkChanged: boolean;
}

const ISSUES = 'https://github.com';

/**
 * The rule table. Points are added to `BASE_POINTS`; a rule with 60 is enough for "likely machine" on its own. Links of this
 * table are in the handbook, too.
 */
export const RULES: Record<MachineSign, { points: number; source: string }> = {
  script_user_agent: { points: 70, source: `${ISSUES}/putyourlightson/craft-campaign/issues/546` },
  every_link_within_seconds: {
    points: 60,
    source: 'https://support.customerminds.com/hc/en-us/articles/10837243653533',
  },
  many_people_from_network: { points: 60, source: `${ISSUES}/warmbly/warmbly/issues/410` },
  changed_link: { points: 60, source: `${ISSUES}/mautic/mautic/issues/9798` },
  outdated_user_agent: { points: 35, source: `${ISSUES}/gophish/gophish/issues/2446` },
  two_visitors: { points: 35, source: `${ISSUES}/resend/resend-node/issues/901` },
  same_outdated_user_agent: { points: 30, source: `${ISSUES}/gophish/gophish/issues/2446` },
  several_in_a_second: { points: 25, source: `${ISSUES}/gophish/gophish/issues/973` },
  confirmed_at_once: {
    points: 20,
    source:
      'https://suped.com/learn/email-deliverability/how-long-does-it-typically-take-for-anti-spam-bots-to-click-links-in-emails',
  },
  link_of_same_day: { points: 10, source: 'https://omeda.com/blog/click-bots-a-growing-problem/' },
};

/** No choice is certainly a person's: a scanner can look like one. */
const BASE_POINTS = 10;
const MACHINE_POINTS = 70;
const UNCLEAR_POINTS = 40;
const MOST_POINTS = 99;

const SECOND_MS = 1000;
const BURST_MS = 10_000;

/** Choices further away than this don't matter to a judgement. */
export const AROUND_MS = 60_000;

/** Of one network within `BURST_MS`, and within `AROUND_MS`. */
const MANY_PEOPLE = 3;
const MANY_PEOPLE_IN_A_MINUTE = 5;
const MANY_LINKS = 3;

/** A proxy that hides its visitors, a company's own network, or this computer: nobody can be told apart there. */
const LOCAL =
  /^(?:10|127|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.|^(?:f[cd]|fe[89ab]|:|0:0:)/;

/**
 * A choice with what may be used of it. Where one-click comes from says nothing: the mail provider sends it for all its
 * users, with a program, after a person pressed its button (RFC 8058, section 3.2).
 */
interface Seen extends VisitorChoice {
  /** null: not recorded, or it tells nobody apart. */
  from: string | null;
  browser: string | null;
  hasOldBrowser: boolean;
}

function seen(choice: VisitorChoice): Seen {
  const isByProvider = choice.source === 'one_click';
  const { network } = choice;
  const from = isByProvider || network === null || LOCAL.test(network) ? null : network;
  const browser = isByProvider ? null : choice.userAgent;
  const hasOldBrowser = browser !== null && !isScript(browser) && isOutdated(browser, choice.atMs);
  return { ...choice, from, browser, hasOldBrowser };
}

/** Choices that have something in common, in the order of time. */
type Group = readonly Seen[];
type Groups = ReadonlyMap<string | null, Group>;

interface Around {
  byNetwork: Groups;
  byBrowser: Groups;
  byCustomer: Groups;
}

/** The choices of a group within so many milliseconds before and after. */
function* within(group: Group | undefined, { atMs }: Seen, ms: number): Generator<Seen> {
  if (group === undefined) return;
  let low = 0;
  let high = group.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((group[middle]?.atMs ?? 0) < atMs - ms) low = middle + 1;
    else high = middle;
  }
  for (let one = group[low]; one !== undefined && one.atMs <= atMs + ms; one = group[(low += 1)]) yield one;
}

/** Whether there are so many different ones. Stops there, because a burst may have thousands. */
function hasMany(choices: Iterable<Seen>, keyOf: (one: Seen) => string, many: number): boolean {
  const keys = new Set<string>();
  for (const one of choices) {
    keys.add(keyOf(one));
    if (keys.size >= many) return true;
  }
  return false;
}

const customerOf = ({ customerId }: Seen) => customerId;

const HOLDS: Record<MachineSign, (choice: Seen, around: Around) => boolean> = {
  script_user_agent: ({ browser }) => browser !== null && isScript(browser),
  outdated_user_agent: ({ hasOldBrowser }) => hasOldBrowser,
  same_outdated_user_agent: (choice, { byBrowser }) =>
    choice.hasOldBrowser &&
    hasMany(within(byBrowser.get(choice.browser), choice, AROUND_MS), customerOf, MANY_PEOPLE),
  many_people_from_network: (choice, { byNetwork }) => {
    const own = choice.from === null ? undefined : byNetwork.get(choice.from);
    return (
      hasMany(within(own, choice, BURST_MS), customerOf, MANY_PEOPLE) ||
      hasMany(within(own, choice, AROUND_MS), customerOf, MANY_PEOPLE_IN_A_MINUTE)
    );
  },
  every_link_within_seconds: (choice, { byCustomer }) =>
    hasMany(within(byCustomer.get(choice.customerId), choice, BURST_MS), ({ link }) => link, MANY_LINKS),
  // Switches of one page are saved as fast as a person presses them: the same link, so they don't count.
  several_in_a_second: (choice, { byNetwork }) =>
    choice.from !== null &&
    hasMany(
      within(byNetwork.get(choice.from), choice, SECOND_MS),
      ({ customerId, link }) => `${customerId} ${link}`,
      2,
    ),
  two_visitors: (choice, { byCustomer }) =>
    choice.from !== null &&
    choice.browser !== null &&
    [...within(byCustomer.get(choice.customerId), choice, AROUND_MS)].some(
      ({ from, browser }) =>
        from !== null && from !== choice.from && browser !== null && browser !== choice.browser,
    ),
  changed_link: ({ isLinkChanged }) => isLinkChanged,
  confirmed_at_once: ({ atMs, requestedAtMs }) => requestedAtMs !== null && atMs - requestedAtMs <= BURST_MS,
  // Alone it says little: the email is no older than its link, so it was sent that day.
  link_of_same_day: ({ isLinkOfSameDay }) => isLinkOfSameDay === true,
};

function judgeSeen(choice: Seen, around: Around): Judgement {
  const reasons = MACHINE_SIGNS.filter((sign) => HOLDS[sign](choice, around)).toSorted(
    (one, other) => RULES[other].points - RULES[one].points,
  );
  const points = reasons.reduce((sum, sign) => sum + RULES[sign].points, BASE_POINTS);
  const confidence = Math.min(points, MOST_POINTS);
  const verdict = verdictOf(confidence);
  if (verdict === 'likely_person' && !isKnown(choice)) {
    return { verdict: 'unknown', confidence: null, reasons };
  }
  return { verdict, confidence, reasons };
}

function verdictOf(confidence: number): Verdict {
  if (confidence >= MACHINE_POINTS) return 'likely_machine';
  return confidence >= UNCLEAR_POINTS ? 'unclear' : 'likely_person';
}

/** Whether enough was recorded to say that nothing speaks for a machine. */
function isKnown({ source, network, from, browser }: Seen): boolean {
  return source === 'one_click' ? network !== null : from !== null && browser !== null;
}

/**
 * Judges visitors' choices. Pure: the same choices get the same judgements, whenever they are asked for.
 * @param choices of one site, with all others within `AROUND_MS` of those that are wanted; in any order
 * @param wanted the ids of those to judge
 */
export function judgeChoices(
  choices: readonly VisitorChoice[],
  wanted: ReadonlySet<string>,
): Map<string, Judgement> {
  const inOrder = choices.map(seen).toSorted((one, other) => one.atMs - other.atMs);
  const around = {
    byNetwork: Map.groupBy(inOrder, ({ from }) => from),
    byBrowser: Map.groupBy(inOrder, ({ browser }) => browser),
    byCustomer: Map.groupBy(inOrder, ({ customerId }): string | null => customerId),
  };
  const asked = inOrder.filter(({ id }) => wanted.has(id));
  return new Map(asked.map((choice) => [choice.id, judgeSeen(choice, around)]));
}
