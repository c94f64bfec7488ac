import { Agent, request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callRoute } from '#contract/client.ts';
import { type JudgedEvidence, listEvidence } from '#contract/choices.ts';
import { type Customer, mintLinks } from '#contract/customers.ts';
import { getDashboard, getLeaveJudgements } from '#contract/dashboard.ts';
import type { Verdict } from '#contract/judgements.ts';
import { createList } from '#contract/lists.ts';
import { createPreferencePage, type PreferencePage } from '#contract/preference-pages.ts';
import { giveReason, openCustomer, saveLists } from '#contract/public-preferences.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { type LoggedLeave, unsubscribeLog } from '#test/harness/unsubscribe-log.ts';
import { buildCustomer, buildWorld, logInAgain, type World } from '#test/harness/world.ts';

/*
 * The log that `judge.test.ts` gives to the rules alone, through the whole product: each of its unsubscribes arrives over
 * HTTP as it would after a mailing (a pressed link, a one-click of a mail provider, a save on the page), at its time and
 * from its address, and what is looked at is what an owner sees. Every kind of event in it has a route; unsubscribing
 * never takes a confirmation by email, so the log has none.
 */

const AT_ONCE = 10;
const DAY_MS = 86_400_000;
const agent = new Agent({ keepAlive: true, maxSockets: 8 });

let product: TestProduct;
let world: World;
let page: PreferencePage;
/** The lists by the log's names for them; everybody receives them by default. */
let lists: Record<LoggedLeave['list'], string>;

beforeAll(async () => {
  product = await startTestProduct({ env: { TRUST_PROXY: '1' } });
  world = await buildWorld(product);
  const { params, owner } = world;
  const byDefault = async (name: string) =>
    (await product.call(createList, { params, body: { name, subscription_default_state: true } }, owner)).id;
  lists = { weekly: world.weekly.id, offers: await byDefault('Sale'), events: await byDefault('Events') };
  const body = { name: 'News', custom_path: 'news', lists: Object.values(lists).map((id) => ({ id })) };
  page = await product.call(createPreferencePage, { params, body }, owner);
});

afterAll(async () => {
  agent.destroy();
  await product.stop();
});

/** Of a visitor: whose address the proxy in front of the product reports. */
function headersOf({ network, userAgent }: LoggedLeave): Record<string, string> {
  return {
    'x-forwarded-for': `${network}.77`,
    ...(userAgent === null ? {} : { 'user-agent': userAgent }),
  };
}

/** POSTs a form to the site's host over HTTP. @returns the page that answers */
async function post(from: LoggedLeave, path: string, form: Record<string, string>): Promise<string> {
  const { port } = new URL(product.url);
  const body = new URLSearchParams(form).toString();
  return new Promise((resolve, reject) => {
    const outgoing = request({ agent, host: 'localhost', port, path, method: 'POST' }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        if (response.statusCode === 200) resolve(text);
        else reject(new Error(`${path} answered ${response.statusCode}`));
      });
    });
    outgoing.on('error', reject);
    const headers = {
      ...headersOf(from),
      host: `${world.site.domain_name}:${port}`,
      'content-type': 'application/x-www-form-urlencoded',
    };
    for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value);
    outgoing.end(body);
  });
}

/** The personal links of the log's customers: most were made long before the mailing, as an email tool stores them. */
class Mailboxes {
  readonly customers = new Map<string, Customer>();
  readonly #links = new Map<string, { path: string; challenge: string }>();

  linkOf({ customer, list }: LoggedLeave): { path: string; challenge: string } {
    const link = this.#links.get(`${customer} ${list}`);
    if (link === undefined) throw new Error(`${customer} has no link for ${list}`);
    return link;
  }

  /** Several at a time; of one customer, one after the other. */
  async fill(leaves: readonly LoggedLeave[]): Promise<void> {
    const byCustomer = [...Map.groupBy(leaves, ({ customer }) => customer).values()];
    for (let at = 0; at < byCustomer.length; at += AT_ONCE) {
      await Promise.all(byCustomer.slice(at, at + AT_ONCE).map((own) => this.#fillOne(own)));
    }
  }

  async #fillOne(own: readonly LoggedLeave[]): Promise<void> {
    const customer = await buildCustomer(product, world);
    for (const { customer: name, list } of own) {
      const call = { params: { ...world.params, id: customer.id }, body: { list_id: lists[list] } };
      const links = await product.call(mintLinks, call, world.owner);
      const { pathname: path } = new URL(links.one_click_url);
      this.customers.set(name, customer);
      this.#links.set(`${name} ${list}`, { path, challenge: links.challenge });
    }
  }
}

/** Makes the requests of one unsubscribe, and of the reason that follows it. */
async function replay(leave: LoggedLeave, mailboxes: Mailboxes): Promise<void> {
  const { path, challenge } = mailboxes.linkOf(leave);
  if (leave.source === 'one_click') {
    await post(leave, path, { 'List-Unsubscribe': 'One-Click' });
  } else if (leave.source === 'leave_link') {
    const scrambled = leave.isLinkChanged ? `${path}?utm_source=mail%27` : path;
    const landing = await post(leave, scrambled, { intent: 'leave' });
    if (leave.reason === null) return;
    const [, receipt = ''] = /name="receipt" value="([^"]+)"/.exec(landing) ?? [];
    await post(leave, path, { intent: 'reason', receipt, reason: leave.reason });
  } else {
    const headers = { ...headersOf(leave), 'x-site-domain': world.site.domain_name };
    const options = { base: product.url, headers };
    const body = { challenge, custom_path: page.custom_path };
    const { id: customerId } = await callRoute(openCustomer, { body }, options);
    const params = { customerId };
    const off = [{ notification_list_id: lists[leave.list], subscribed: false }];
    const { receipt } = await callRoute(saveLists, { params, body: off }, options);
    if (leave.reason === null || receipt === null) return;
    await callRoute(giveReason, { params, body: { receipt, reason: leave.reason } }, options);
  }
}

async function evidenceBy(verdict: Verdict): Promise<JudgedEvidence[]> {
  const found: JudgedEvidence[] = [];
  let cursor: string | null = null;
  do {
    const query = { verdict, move: 'left', limit: 100, ...(cursor === null ? {} : { cursor }) } as const;
    const part: { results: JudgedEvidence[]; next: string | null } = await product.call(
      listEvidence,
      { params: world.params, query },
      world.owner,
    );
    found.push(...part.results);
    cursor = part.next;
  } while (cursor !== null);
  return found;
}

it('a log of 497 unsubscribes, replayed over HTTP, shows the owner 8 ± 1 people, in figures, reasons and choices', async () => {
  const log = unsubscribeLog().toSorted((one, other) => one.afterMs - other.afterMs);
  expect([log.length, log.filter(({ isPerson }) => isPerson).length]).toEqual([497, 8]);
  const { clock } = product;
  const run = clock.stop();
  const moveTo = (ms: number) => clock.advance({ seconds: (ms - clock.now().getTime()) / 1000 });

  const mailboxes = new Mailboxes();
  await mailboxes.fill(log.filter(({ isLinkOfSameDay }) => !isLinkOfSameDay));
  // The morning of the day after.
  const sentMs = (Math.floor(clock.now().getTime() / DAY_MS) + 1) * DAY_MS + 9 * 3_600_000;
  moveTo(sentMs);
  await logInAgain(product, world.owner);
  await mailboxes.fill(log.filter(({ isLinkOfSameDay }) => isLinkOfSameDay));

  for (const leave of log) {
    moveTo(sentMs + leave.afterMs);
    await replay(leave, mailboxes);
  }
  await logInAgain(product, world.owner);

  const { params, owner } = world;
  const figures = await product.call(getDashboard, { params, query: {} }, owner);
  // A label: all of them count.
  expect(figures.leaves.now).toBe(497);
  const split = await product.call(getLeaveJudgements, { params, query: {} }, owner);
  expect(split.is_partial).toBe(false);
  expect(split.leaves.likely_person).toBeGreaterThanOrEqual(7);
  expect(split.leaves.likely_person).toBeLessThanOrEqual(9);
  expect(split.leaves).toEqual({
    likely_machine: 488,
    unclear: 1,
    likely_person: 8,
    unknown: 0,
    others: 0,
  });

  // Scripts pressed the first reason, too: of 41 who find it too much, one is a person.
  const reasons = new Map(split.reasons.map(({ reason, ...counts }) => [reason, counts]));
  expect(reasons.get('too_many')).toMatchObject({ likely_machine: 40, likely_person: 1, unclear: 0 });
  expect(reasons.get('not_relevant')).toMatchObject({ likely_machine: 0, likely_person: 2, unclear: 1 });
  expect(new Map(figures.reasons.map(({ reason, count }) => [reason, count]))).toEqual(
    new Map([
      ['too_many', 41],
      ['not_relevant', 3],
    ]),
  );

  const idsOf = (leaves: readonly LoggedLeave[]) =>
    new Set(leaves.map(({ customer }) => mailboxes.customers.get(customer)?.id));
  const people = idsOf(log.filter(({ isPerson }) => isPerson));
  const [called, machines, unclear] = await Promise.all([
    evidenceBy('likely_person'),
    evidenceBy('likely_machine'),
    evidenceBy('unclear'),
  ]);
  expect([called.length, machines.length, unclear.length]).toEqual([8, 488, 1]);
  expect(called.filter((one) => !people.has(one.customer_id))).toHaveLength(1);
  expect(machines.filter((one) => people.has(one.customer_id))).toEqual([]);
  expect(unclear.every((one) => people.has(one.customer_id))).toBe(true);
  run();
});
