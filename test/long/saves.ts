import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { API_PREFIX } from '#contract/route.ts';
import { saveLists } from '#contract/public-preferences.ts';
import { type Received, startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { callsTo } from '#test/harness/product.ts';
import type { ProductProcess } from '#test/harness/product-process.ts';
import { buildCustomer, buildWebhook, buildWorld, openAsProven, type World } from '#test/harness/world.ts';

const CLIENTS = 16;

/** A site whose customers save without pause, and the receiver that is told about everyone who leaves the weekly list. */
export interface Shop {
  product: ProductProcess;
  world: World;
  customers: { id: string; sealed: string }[];
  receiver: WebhookReceiver;
  /** Ids of webhooks whose signature was wrong when they came. */
  badSignatures: string[];
  /** Save id and the choice that the product acknowledged. */
  acknowledged: Map<string, string>;
  /** What was said to those who were asked to come again, and how often. */
  refusals: Map<string, number>;
  repeats: number;
  kills: number;
  /** A caller without an answer by then sends the same again. */
  patienceMs: number;
}

export async function openShop(product: ProductProcess, customerCount = 48): Promise<Shop> {
  const calls = callsTo(product.url);
  const world = await buildWorld(calls);
  const badSignatures: string[] = [];
  let verifier: Webhook | null = null;
  // At once: a signature is good for five minutes.
  const receiver = await startWebhookReceiver((one) => {
    if (!isSigned(verifier, one)) badSignatures.push(one.headers['webhook-id'] ?? '');
  });
  const { secret } = await buildWebhook(calls, world, { url: receiver.url, list_ids: [world.weekly.id] });
  verifier = new Webhook(secret);
  const customers: Shop['customers'] = [];
  for (let count = 0; count < customerCount; count += 1) {
    const customer = await buildCustomer(calls, world);
    customers.push({ id: customer.id, sealed: await openAsProven(calls, world, customer) });
  }
  const counts = { acknowledged: new Map(), refusals: new Map(), repeats: 0, kills: 0, patienceMs: 5000 };
  return { product, world, customers, receiver, badSignatures, ...counts };
}

function isSigned(verifier: Webhook | null, { headers, body }: Received): boolean {
  try {
    verifier?.verify(body, headers);
    return verifier !== null;
  } catch {
    return false;
  }
}

/**
 * Every customer joins and leaves in turn; each save is repeated with its id until it is acknowledged.
 * @param atLeast how many saves, and how many kills in their midst, whatever the machine's speed
 */
export async function saveMany(shop: Shop, atLeast: { saves: number; kills: number }): Promise<void> {
  const rounds = Math.ceil(atLeast.saves / shop.customers.length);
  async function client(first: number): Promise<void> {
    for (let round = 0; round < rounds || shop.kills < atLeast.kills; round += 1) {
      for (let index = first; index < shop.customers.length; index += CLIENTS) await save(shop, index, round);
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, first) => client(first)));
}

const joins = (round: number) => round % 2 === 0;

export interface SaveAnswer {
  status: number;
  text: string;
  retryAfter: string | null;
}

/** One save of a customer, by its id. @returns null if no answer came in time */
export async function sendSave(
  { product, world, customers, patienceMs }: Shop,
  { index, key, subscribed }: { index: number; key: string; subscribed: boolean },
): Promise<SaveAnswer | null> {
  const { sealed = '' } = customers[index] ?? {};
  const path = saveLists.path.replace('{customerId}', sealed);
  return fetch(`${product.url}${API_PREFIX}${path}`, {
    method: saveLists.method,
    headers: {
      'content-type': 'application/json',
      'x-site-domain': world.site.domain_name,
      'idempotency-key': key,
    },
    body: JSON.stringify([{ notification_list_id: world.weekly.id, subscribed }]),
    signal: AbortSignal.timeout(patienceMs),
  })
    .then(async (response) => ({
      status: response.status,
      text: await response.text(),
      retryAfter: response.headers.get('retry-after'),
    }))
    .catch(() => null);
}

async function save(shop: Shop, index: number, round: number): Promise<void> {
  const key = `save-${index}-${round}`;
  for (;;) {
    const answer = await sendSave(shop, { index, key, subscribed: joins(round) });
    if (answer?.status === 200) {
      shop.acknowledged.set(key, (JSON.parse(answer.text) as { choice_id: string }).choice_id);
      return;
    }
    if (answer !== null && answer.status !== 503) throw new Error(`${answer.status} ${answer.text}`);
    if (answer !== null) noteRefusal(shop, answer.text);
    shop.repeats += 1;
    // Callers who wait for a restart must not slow it down.
    await sleep(answer === null ? 250 : 50);
  }
}

function noteRefusal({ refusals }: Shop, text: string): void {
  const { meta } = JSON.parse(text) as { meta: { errors: { message: string }[] } };
  const message = meta.errors[0]?.message ?? text;
  refusals.set(message, (refusals.get(message) ?? 0) + 1);
}

/**
 * Kills every two seconds while `work` runs, but not before so many saves were acknowledged since the last time: a busy
 * machine would do little else than start again.
 */
export async function killMeanwhile(
  shop: Shop,
  work: Promise<void>,
  savesInBetween: number,
  kill: (round: number) => void,
): Promise<void> {
  let acknowledged = shop.acknowledged.size;
  const worked = work.then(() => 'done' as const);
  while ((await Promise.race([worked, sleep(2000, 'tick' as const)])) === 'tick') {
    if (shop.acknowledged.size < acknowledged + savesInBetween) continue;
    acknowledged = shop.acknowledged.size;
    kill(shop.kills);
    shop.kills += 1;
  }
}

async function withOwner<T>(shop: Shop, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: shop.product.databaseUrl() });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export async function inDatabase(shop: Shop, statements: string[]): Promise<void> {
  await withOwner(shop, async (client) => {
    for (const statement of statements) await client.query(statement);
  });
}

/** Waits until no delivery is left to make, and gives the seconds it took. */
export async function workOff(shop: Shop, timeoutMs = 90_000): Promise<number> {
  const began = performance.now();
  await shop.product.untilReady();
  await withOwner(shop, async (client) => {
    for (;;) {
      const { rows } = await client.query<{ count: number }>(
        'select count(*)::int as count from deliveries where next_attempt_at is not null',
      );
      if (rows[0]?.count === 0) return;
      if (performance.now() - began > timeoutMs)
        throw new Error(`${rows[0]?.count} deliveries are still open`);
      await sleep(250);
    }
  });
  return (performance.now() - began) / 1000;
}

/** Everything that went wrong; a sound product has nothing in any of them. */
export interface Losses {
  lostSaves: string[];
  doubledSaves: string[];
  brokenChains: string[];
  wrongStates: string[];
  choicesWithoutTheirDelivery: string[];
  notArrived: string[];
  neverSent: string[];
  unknownWebhooks: string[];
  changedWebhooks: string[];
  badSignatures: string[];
}

interface ChoiceRow {
  id: string;
  customer_id: string;
  save_id: string | null;
  sequence: number;
  events: string[];
  hash: string;
  previous_hash: string | null;
  deliveries: number;
}

interface DeliveryRow {
  id: string;
  status: string;
}

export const NOTHING_LOST: Losses = {
  lostSaves: [],
  doubledSaves: [],
  brokenChains: [],
  wrongStates: [],
  choicesWithoutTheirDelivery: [],
  notArrived: [],
  neverSent: [],
  unknownWebhooks: [],
  changedWebhooks: [],
  badSignatures: [],
};

/** Compares what was acknowledged and what was received with what is in the database. */
export async function findLosses(shop: Shop): Promise<Losses> {
  const siteId = shop.world.site.id;
  return withOwner(shop, async (client) => {
    const choices = await client.query<ChoiceRow>(
      `select id, customer_id, save_id, sequence, events, encode(hash, 'hex') as hash,
         encode(previous_hash, 'hex') as previous_hash,
         (select count(*)::int from deliveries d where d.site_id = c.site_id and d.choice_id = c.id) as deliveries
       from choices c where site_id = $1 order by customer_id, sequence`,
      [siteId],
    );
    const deliveries = await client.query<DeliveryRow>(
      'select id, status from deliveries where site_id = $1',
      [siteId],
    );
    const states = await client.query<{ customer_id: string; subscribed: boolean }>(
      'select customer_id, subscribed from subscriptions where site_id = $1 and list_id = $2',
      [siteId, shop.world.weekly.id],
    );
    return {
      ...lossesOfSaves(shop, choices.rows),
      ...lossesOfDeliveries(shop, choices.rows, deliveries.rows),
      wrongStates: wrongStates(shop, new Map(states.rows.map((row) => [row.customer_id, row.subscribed]))),
    };
  });
}

function lossesOfSaves(shop: Shop, choices: ChoiceRow[]) {
  const idsOfSave = new Map<string, string[]>();
  for (const { customer_id: customerId, save_id: saveId, id } of choices) {
    // A team member created the customer.
    if (saveId === null || saveId.startsWith('edit:')) continue;
    const index = shop.customers.findIndex((customer) => customer.id === customerId);
    if (!saveId.startsWith(`save-${index}-`))
      throw new Error(`${saveId} is in the evidence of another customer`);
    idsOfSave.set(saveId, [...(idsOfSave.get(saveId) ?? []), id]);
  }
  const brokenChains = choices.filter((choice, index) => {
    const before = choices[index - 1];
    const isFirst = before?.customer_id !== choice.customer_id;
    return isFirst
      ? choice.sequence !== 1 || choice.previous_hash !== null
      : choice.sequence !== before.sequence + 1 || choice.previous_hash !== before.hash;
  });
  return {
    lostSaves: [...shop.acknowledged].flatMap(([save, id]) =>
      idsOfSave.get(save)?.includes(id) ? [] : [save],
    ),
    doubledSaves: [...idsOfSave].flatMap(([save, ids]) => (ids.length === 1 ? [] : [save])),
    brokenChains: brokenChains.map(({ id }) => id),
  };
}

function wrongStates(shop: Shop, states: Map<string, boolean>): string[] {
  return shop.customers.flatMap(({ id }, index) => {
    let last = -1;
    while (shop.acknowledged.has(`save-${index}-${last + 1}`)) last += 1;
    return last < 0 || states.get(id) === joins(last) ? [] : [id];
  });
}

function lossesOfDeliveries(shop: Shop, choices: ChoiceRow[], deliveries: DeliveryRow[]) {
  const bodies = new Map<string, Set<string>>();
  for (const { headers, body } of shop.receiver.received) {
    const id = headers['webhook-id'] ?? '';
    bodies.set(id, (bodies.get(id) ?? new Set()).add(body));
  }
  const known = new Set(deliveries.map(({ id }) => id));
  const matched = (choice: ChoiceRow) => (choice.events.includes('unsubscribed') ? 1 : 0);
  return {
    choicesWithoutTheirDelivery: choices.filter((one) => one.deliveries !== matched(one)).map(({ id }) => id),
    notArrived: deliveries.filter(({ status }) => status !== 'arrived').map(({ id }) => id),
    neverSent: [...known].filter((id) => !bodies.has(id)),
    unknownWebhooks: [...bodies.keys()].filter((id) => !known.has(id)),
    changedWebhooks: [...bodies].flatMap(([id, all]) => (all.size === 1 ? [] : [id])),
    badSignatures: shop.badSignatures,
  };
}
