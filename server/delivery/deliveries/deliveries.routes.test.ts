import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { logIn } from '#contract/accounts.ts';
import { deleteAction, getAction, updateAction } from '#contract/actions.ts';
import { deleteCustomer, setCustomerLists } from '#contract/customers.ts';
import {
  type DeliveryDetail,
  countReplays,
  getDelivery,
  listDeliveries,
  replayDeliveries,
  replayDelivery,
} from '#contract/deliveries.ts';
import { siteTag } from '#server/accounts/sites/change-site.ts';
import { deliverNow } from '#server/delivery/sending/deliveries.jobs.ts';
import { createOutbound, type Outbound } from '#server/platform/outbound.ts';
import { type Answer, startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { rawRequest } from '#test/harness/http.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { refuseAttemptsOf } from '#test/harness/refused-rows.ts';
import {
  buildCustomer,
  buildSite,
  buildWebhook,
  buildWorld,
  logInAgain,
  PASSWORD,
  type World,
} from '#test/harness/world.ts';

let product: TestProduct;
let receiver: WebhookReceiver;
let impatient: Outbound;
let nora: World;
let bolt: World;
let acme: World;
let action: { id: string };

beforeAll(async () => {
  // No worker: the tests make each attempt themselves, when their clock says so.
  product = await startTestProduct();
  receiver = await startWebhookReceiver();
  impatient = createOutbound({ allowPrivateTargets: true, deadlineMs: 300 });
  nora = await buildWorld(product, 'nora');
  bolt = await buildWorld(product, 'bolt');
});

beforeEach(async () => {
  receiver.received.length = 0;
  receiver.answerWith({ status: 204 });
  await product.testDatabase.owner.query('delete from rate_limits');
  const tokens = await product.call(logIn, { body: { username: nora.owner.email, password: PASSWORD } });
  nora.owner.token = tokens.access_token;
  acme = await buildSite(product, nora.owner, nora.params.organization_id);
  action = await buildWebhook(product, acme, { url: receiver.url });
});

afterAll(async () => {
  impatient.close();
  await receiver.close();
  await product.stop();
});

/** Somebody leaves the weekly list; gives the delivery that this makes. */
async function leave(): Promise<string> {
  const vera = await buildCustomer(product, acme);
  const body = [{ notification_list_id: acme.weekly.id, subscribed: false }];
  await product.call(setCustomerLists, { params: { ...acme.params, id: vera.id }, body }, acme.owner);
  const { results } = await log({ customer_id: vera.id });
  return results[0]?.id ?? '';
}

function log(query: Parameters<typeof product.call<typeof listDeliveries>>[1]['query']) {
  return product.call(listDeliveries, { params: acme.params, query: query ?? {} }, acme.owner);
}

interface Row {
  status: string;
  attempt_count: number;
  try_count: number;
  next_attempt_at: Date | null;
  last_error: string | null;
}

async function rowOf(id: string): Promise<Row> {
  const { rows } = await product.testDatabase.owner.query<Row>('select * from deliveries where id = $1', [
    id,
  ]);
  const [row] = rows;
  if (row === undefined) throw new Error('There is no such delivery');
  return row;
}

/** What the worker does with the delivery's job, now. */
async function attempt(id: string, outbound = product.services.outbound): Promise<Row> {
  const { attempt_count } = await rowOf(id);
  const services = { ...product.services, outbound };
  await deliverNow(services, { site_id: acme.params.site_id, id, round: attempt_count });
  return rowOf(id);
}

function detail(id: string): Promise<DeliveryDetail> {
  return product.call(getDelivery, { params: { ...acme.params, id } }, acme.owner);
}

function secondsUntil(date: Date | null): number {
  return date === null ? Number.NaN : (date.getTime() - product.clock.now().getTime()) / 1000;
}

describe('an attempt', () => {
  it('that arrives is shown with its request and its response', async () => {
    receiver.answerWith({ status: 200, body: 'thanks' });
    const id = await leave();
    expect(await attempt(id)).toMatchObject({ status: 'arrived', attempt_count: 1, next_attempt_at: null });
    const [sent] = receiver.received;
    expect(await detail(id)).toMatchObject({
      status: 'arrived',
      event: 'unsubscribed',
      lists: [{ list_id: acme.weekly.id, name: 'Weekly news', subscribed: false }],
      action_name: 'Tell the shop',
      next_attempt_at: null,
      attempts: [
        {
          number: 1,
          outcome: 'arrived',
          request: { method: 'POST', url: receiver.url, body: sent?.body },
          response: { status: 200, body: 'thanks' },
          error: null,
        },
      ],
    });
    expect(sent?.headers).toMatchObject({ 'webhook-id': id, 'content-type': 'application/json' });
  });

  const failures: [string, Answer, string, RegExp][] = [
    ['400', { status: 400 }, 'refused', /400/],
    ['401', { status: 401 }, 'bad_credentials', /401/],
    ['403', { status: 403 }, 'bad_credentials', /403/],
    ['404', { status: 404 }, 'not_found', /404/],
    ['500', { status: 500, body: 'x'.repeat(5000) }, 'unavailable', /500/],
    ['503', { status: 503 }, 'unavailable', /503/],
    ['429', { status: 429 }, 'rate_limited', /429/],
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/elsewhere' } }, 'refused', /302/],
    ['a 500 of 100 kB', { status: 500, body: 'x'.repeat(100_000) }, 'unavailable', /500/],
    ['no answer', 'hang', 'unavailable', /0\.3 seconds/],
    ['a line that is cut', 'cut', 'unavailable', /No connection/],
    ['what is no HTTP', 'garbage', 'unavailable', /No connection/],
  ];

  it.each(failures)('answered by %s is retried in 5 seconds', async (_what, answer, outcome, error) => {
    receiver.answerWith(answer);
    const id = await leave();
    const row = await attempt(id, answer === 'hang' ? impatient : undefined);
    expect(row).toMatchObject({ status: 'waiting', attempt_count: 1 });
    expect(row.last_error).toMatch(error);
    expect(secondsUntil(row.next_attempt_at)).toBeLessThanOrEqual(5.5);
    const { attempts } = await detail(id);
    expect(attempts).toMatchObject([{ outcome }]);
    expect(attempts[0]?.response?.body.length ?? 0).toBeLessThanOrEqual(2000);
    expect(receiver.received).toHaveLength(1);
  });

  it.each([
    ['of 100 kB', { status: 200, body: 'x'.repeat(100_000) }, /^x{2000}$/],
    ['that never ends', 'endless', /^\.*$/],
    ['that breaks off', 'broken', /^half$/],
  ] satisfies [string, Answer, RegExp][])('answered with a 200 %s arrives', async (_what, answer, shown) => {
    receiver.answerWith(answer);
    const id = await leave();
    const row = await attempt(id, answer === 'endless' ? impatient : undefined);
    expect(row).toMatchObject({ status: 'arrived', attempt_count: 1, last_error: null });
    const { attempts } = await detail(id);
    expect(attempts).toMatchObject([{ outcome: 'arrived', response: { status: 200 } }]);
    expect(attempts[0]?.response?.body).toMatch(shown);
  });

  it.each([
    ['plain', 301, 'https://new.example/hook', 'https://new.example/hook'],
    [
      'secret',
      308,
      'https://nora:secret@new.example:8443/hook?key=secret#here',
      'https://new.example:8443/hook?…',
    ],
    ['relative', 308, '/elsewhere', '/elsewhere'],
    ['long', 301, `https://new.example/${'x'.repeat(300)}`, `https://new.example/${'x'.repeat(180)}…`],
  ])('answered with a move to a %s address (%i) names it', async (_what, status, location, shown) => {
    receiver.answerWith({ status, headers: { location } });
    const id = await leave();
    const address = shown.startsWith('/') ? new URL(shown, receiver.url).href : shown;
    expect(await attempt(id)).toMatchObject({
      status: 'waiting',
      last_error: `The endpoint has moved to ${address} (${status}). Change the URL of the action.`,
    });
  });

  it.each([
    [301, {}],
    [301, { location: 'javascript:alert(1)' }],
    [308, { location: 'http://' }],
    [302, { location: 'https://new.example/hook' }],
  ])('answered with a %i and %j names no new address', async (status, headers: Record<string, string>) => {
    receiver.answerWith({ status, headers });
    expect(await attempt(await leave())).toMatchObject({ last_error: `The receiver answered ${status}.` });
  });

  it.each([
    ['null characters', 'a\0b', 'a\ufffdb'],
    ['an emoji where the shown part ends', `${'x'.repeat(1999)}🎉`, `${'x'.repeat(1999)}\ufffd`],
    ['the escape of a null character', '{"a":"\\u0000"}', '{"a":"\\ufffd"}'],
  ])('answered with %s arrives', async (_what, body, shown) => {
    receiver.answerWith({ status: 200, body });
    const id = await leave();
    expect(await attempt(id)).toMatchObject({ status: 'arrived', attempt_count: 1, next_attempt_at: null });
    expect((await detail(id)).attempts).toMatchObject([{ response: { status: 200, body: shown } }]);
  });

  it('that a fault of ours prevents is logged, retried, and says nothing about the receiver', async () => {
    const { owner } = product.testDatabase;
    await owner.query("update actions set secrets_sealed = 'no secret' where id = $1", [action.id]);
    product.services.cache.evict(siteTag(acme.params.site_id));
    const id = await leave();
    const logged = vi.spyOn(product.services.log, 'error');
    const row = await attempt(id);
    expect(row).toMatchObject({ status: 'waiting', attempt_count: 1, try_count: 1 });
    expect(row.last_error).toBe(
      'Something went wrong on our side, so this was not sent. The details are in the server log.',
    );
    expect(logged.mock.calls).toMatchObject([[{ delivery: id }, expect.any(String)]]);
    logged.mockRestore();
    expect(receiver.received).toEqual([]);
    const { rows } = await owner.query('select failing_since from actions where id = $1', [action.id]);
    expect(rows).toEqual([{ failing_since: null }]);
  });

  it('to a closed port is retried', async () => {
    await product.call(
      updateAction,
      { params: { ...acme.params, id: action.id }, body: { target: { url: 'http://127.0.0.1:9/x' } } },
      acme.owner,
    );
    const id = await leave();
    expect(await attempt(id)).toMatchObject({
      status: 'waiting',
      last_error: expect.stringContaining('ECONNREFUSED') as string,
    });
  });

  it.each([
    ['a number', '3600', 3600],
    ['an absurd number', '99999999999', 86_400],
    ['nonsense', 'tomorrow', 5.5],
  ])('follows Retry-After as %s', async (_what, header, seconds) => {
    receiver.answerWith({ status: 429, headers: { 'retry-after': header } });
    const row = await attempt(await leave());
    const wait = secondsUntil(row.next_attempt_at);
    expect(wait).toBeLessThanOrEqual(seconds);
    expect(wait).toBeGreaterThan(Math.min(seconds * 0.99, seconds - 2));
  });

  it('follows Retry-After as a date', async () => {
    const id = await leave();
    const date = new Date(product.clock.now().getTime() + 600_000).toUTCString();
    receiver.answerWith({ status: 503, headers: { 'retry-after': date } });
    const row = await attempt(id);
    expect(Math.abs(secondsUntil(row.next_attempt_at) - 600)).toBeLessThan(3);
  });

  it('of an earlier round sends nothing, also after the delivery has arrived', async () => {
    const id = await leave();
    const job = { site_id: acme.params.site_id, id, round: 0 };
    await deliverNow(product.services, job);
    await deliverNow(product.services, job);
    await deliverNow(product.services, { ...job, round: 1 });
    expect(receiver.received).toHaveLength(1);
  });

  it('made twice at the same time is recorded once', async () => {
    const id = await leave();
    const job = { site_id: acme.params.site_id, id, round: 0 };
    await Promise.all([deliverNow(product.services, job), deliverNow(product.services, job)]);
    expect(await rowOf(id)).toMatchObject({ status: 'arrived', attempt_count: 1 });
    expect(new Set(receiver.received.map((one) => one.headers['webhook-id']))).toEqual(new Set([id]));
  });

  it('for an action that was switched off or deleted is not made', async () => {
    const [first, second] = [await leave(), await leave()];
    const params = { ...acme.params, id: action.id };
    await product.call(updateAction, { params, body: { enabled: false } }, acme.owner);
    expect(await attempt(first)).toMatchObject({ status: 'failed', attempt_count: 0 });
    await product.call(deleteAction, { params }, acme.owner);
    expect(await attempt(second)).toMatchObject({ status: 'failed' });
    expect((await detail(second)).action_id).toBeNull();
    expect(receiver.received).toEqual([]);
  });

  it('for a changed action goes to its new URL, or nowhere once the action no longer covers the choice', async () => {
    const [first, second, third] = [await leave(), await leave(), await leave()];
    const params = { ...acme.params, id: action.id };
    const change = (body: Parameters<typeof product.call<typeof updateAction>>[1]['body']) =>
      product.call(updateAction, { params, body }, acme.owner);
    const about = (listId: string) => ({ event: 'unsubscribed' as const, list_ids: [listId] });
    const url = `${receiver.url}/new`;
    await change({ target: { url }, trigger: about(acme.weekly.id) });
    await attempt(first);
    expect((await detail(first)).attempts).toMatchObject([{ outcome: 'arrived', request: { url } }]);
    await change({ trigger: about(acme.offers.id) });
    const ended = { status: 'arrived', attempt_count: 0, next_attempt_at: null };
    expect(await attempt(second)).toMatchObject(ended);
    await change({ trigger: { event: 'global_unsubscribed', list_ids: [] } });
    expect(await attempt(third)).toMatchObject(ended);
    expect([await detail(second), await detail(third)]).toMatchObject([
      { outcome: 'overtaken', attempts: [] },
      { outcome: 'overtaken', attempts: [] },
    ]);
    expect(receiver.received).toHaveLength(1);
  });
});

describe('the results of many attempts at once', () => {
  /** Gives their deliveries. */
  const leaveTogether = (count: number) => Promise.all(Array.from({ length: count }, leave));

  const attemptTogether = (ids: readonly string[]) => Promise.all(ids.map((id) => attempt(id)));

  it('are all recorded when an answer holds a null character', async () => {
    const odd = await startWebhookReceiver();
    onTestFinished(() => odd.close());
    odd.answerWith({ status: 200, body: '\0' });
    const others = await leaveTogether(64);
    await buildWebhook(product, acme, { url: odd.url });
    const vera = await buildCustomer(product, acme);
    const body = [{ notification_list_id: acme.weekly.id, subscribed: false }];
    await product.call(setCustomerLists, { params: { ...acme.params, id: vera.id }, body }, acme.owner);
    const { results } = await log({ customer_id: vera.id });
    const rows = await attemptTogether([...results.map(({ id }) => id), ...others]);
    expect(rows.map(({ status }) => status)).toEqual(Array(66).fill('arrived'));
    expect([odd.received.length, receiver.received.length]).toEqual([1, 65]);
  });

  it.each([
    ['healthy', null],
    ['failing', new Date()],
  ])('of a %s receiver are recorded without the one that the database refuses', async (_health, since) => {
    const ids = await leaveTogether(12);
    await product.testDatabase.owner.query('update actions set failing_since = $2 where id = $1', [
      action.id,
      since,
    ]);
    product.services.cache.evict(siteTag(acme.params.site_id));
    const [refused = ''] = ids.slice(5);
    await refuseAttemptsOf(product, [refused]);
    const logged = vi.spyOn(product.services.log, 'error');
    onTestFinished(() => logged.mockRestore());
    const rows = await attemptTogether(ids);
    expect(rows.map(({ status }) => status)).toEqual(
      ids.map((id) => (id === refused ? 'waiting' : 'arrived')),
    );
    expect(logged.mock.calls).toMatchObject([[{ delivery: refused }, expect.any(String)]]);
  });

  const SCHEDULE_SECONDS = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

  const UNRECORDED =
    'The result of this attempt could not be recorded on our side. The details are in the server log.';

  it.each([200, 500])('that are refused again and again after a %i end on the schedule', async (status) => {
    receiver.answerWith({ status });
    const id = await leave();
    await refuseAttemptsOf(product, [id]);
    onTestFinished(product.clock.stop());
    const waits: number[] = [];
    for (let row = await attempt(id); row.status === 'waiting'; row = await attempt(id)) {
      expect(row.last_error).toBe(UNRECORDED);
      const seconds = secondsUntil(row.next_attempt_at);
      waits.push(seconds);
      product.clock.advance({ seconds });
    }
    // Each wait differs from the schedule by a tenth at most.
    const waited = waits.map((seconds, index) => Math.round(seconds / (SCHEDULE_SECONDS[index] ?? 0)));
    expect(waited).toEqual(SCHEDULE_SECONDS.map(() => 1));
    expect(receiver.received).toHaveLength(10);
    await logInAgain(product, nora.owner);
    expect(await detail(id)).toMatchObject({ status: 'failed', outcome: 'failed', last_error: UNRECORDED });
    expect((await rawRequest(product, 'GET', '/metrics')).text).toMatch(
      /sayso_unrecorded_deliveries_total\{type="webhook"\} [1-9]/,
    );
  });
});

describe('a receiver that never accepts anything', () => {
  it.each([500, 429])(
    'and answers %i gets ten attempts under one id on the schedule, then the delivery is dead until it is replayed',
    async (status) => {
      receiver.answerWith({ status });
      const id = await leave();
      onTestFinished(product.clock.stop());
      const waits: number[] = [];
      let row = await attempt(id);
      while (row.status === 'waiting' && waits.length < 20) {
        const seconds = secondsUntil(row.next_attempt_at);
        waits.push(seconds);
        product.clock.advance({ seconds });
        row = await attempt(id);
      }
      const schedule = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
      expect(waits).toHaveLength(schedule.length);
      for (const [index, wait] of waits.entries()) {
        expect(wait / (schedule[index] ?? 1)).toBeGreaterThan(0.89);
        expect(wait / (schedule[index] ?? 1)).toBeLessThan(1.11);
      }
      expect(row).toMatchObject({ status: 'failed', attempt_count: 10, next_attempt_at: null });
      expect(new Set(receiver.received.map((one) => one.headers['webhook-id']))).toEqual(new Set([id]));
      expect(new Set(receiver.received.map((one) => one.body)).size).toBe(1);
      expect(new Set(receiver.received.map((one) => one.headers['webhook-timestamp'])).size).toBe(10);

      await logInAgain(product, nora.owner);
      receiver.answerWith({ status: 204 });
      const replayed = await product.call(replayDelivery, { params: { ...acme.params, id } }, acme.owner);
      expect(replayed).toMatchObject({ id, status: 'waiting', attempt_count: 10 });
      expect(await attempt(id)).toMatchObject({ status: 'arrived', attempt_count: 11 });
      expect((await detail(id)).attempts.map((one) => one.number)).toEqual(
        Array.from({ length: 11 }, (_, n) => n + 1),
      );
    },
  );

  it('is switched off after five days, and its owner is told once', async () => {
    receiver.answerWith({ status: 503 });
    await attempt(await leave());
    product.clock.advance({ days: 5, minutes: 1 });
    await logInAgain(product, nora.owner);
    const id = await leave();
    await attempt(id);
    const params = { ...acme.params, id: action.id };
    const off = await product.call(getAction, { params }, acme.owner);
    expect(off).toMatchObject({
      enabled: false,
      disabled_reason: 'Every delivery failed for 5 days.',
      disabled_because: 'failing',
    });
    await expect.poll(mailsAboutActions).toEqual([acme.owner.email]);

    // Switched on again by a person, it starts afresh.
    const on = await product.call(updateAction, { params, body: { enabled: true } }, acme.owner);
    expect(on).toMatchObject({ enabled: true, disabled_reason: null });
    await attempt(await leave());
    expect((await product.call(getAction, { params }, acme.owner)).enabled).toBe(true);
  });

  it('is named as the cause, also in a delivery from before causes were stored', async () => {
    const id = await leave();
    receiver.answerWith({ status: 410 });
    await attempt(id);
    expect(await detail(id)).toMatchObject({ outcome: 'failed', cause: 'not_found' });
    await product.testDatabase.owner.query(`update deliveries set outcome = null where id = $1`, [id]);
    expect(await detail(id)).toMatchObject({ outcome: 'failed', cause: 'not_found' });
  });

  it('stays on when it accepted something in between', async () => {
    receiver.answerWith({ status: 503 });
    await attempt(await leave());
    product.clock.advance({ days: 4 });
    await logInAgain(product, nora.owner);
    receiver.answerWith({ status: 204 });
    await attempt(await leave());
    product.clock.advance({ days: 4 });
    await logInAgain(product, nora.owner);
    receiver.answerWith({ status: 503 });
    await attempt(await leave());
    const params = { ...acme.params, id: action.id };
    expect((await product.call(getAction, { params }, acme.owner)).enabled).toBe(true);
  });

  it('and answers 410 is switched off at once', async () => {
    receiver.answerWith({ status: 410 });
    const id = await leave();
    expect(await attempt(id)).toMatchObject({ status: 'failed', next_attempt_at: null });
    const off = await product.call(getAction, { params: { ...acme.params, id: action.id } }, acme.owner);
    expect(off).toMatchObject({ enabled: false, disabled_because: 'gone' });
  });
});

async function mailsAboutActions(): Promise<string[]> {
  const { rows } = await product.testDatabase.owner.query<{ recipient: string }>(
    `select recipient from outbox_emails where subject like 'We turned off “Tell the shop”%' order by created_at`,
  );
  return rows.map((row) => row.recipient);
}

describe('the log', () => {
  it('can be filtered and paged, newest first', async () => {
    const ids = [await leave(), await leave(), await leave()];
    await attempt(ids[0] ?? '');
    const newest = ids.toReversed();
    expect((await log({})).results.map((one) => one.id)).toEqual(newest);
    expect((await log({ status: 'arrived' })).results.map((one) => one.id)).toEqual([ids[0]]);
    expect((await log({ action_id: action.id })).results).toHaveLength(3);
    expect((await log({ action_id: bolt.weekly.id })).results).toEqual([]);
    const first = await log({ limit: 2 });
    const second = await log({ limit: 2, cursor: first.next ?? '' });
    expect([...first.results, ...second.results].map((one) => one.id)).toEqual(newest);
    expect(second.next).toBeNull();
  });

  it.each(['status=lost', 'action_id=x', 'cursor=x', 'limit=1000', 'since=1'])(
    'answers 422 when it is asked with %s',
    async (query) => {
      const { organization_id, site_id } = acme.params;
      const path = `/api/core/v1/organizations/${organization_id}/sites/${site_id}/deliveries?${query}`;
      expect((await rawRequest(product, 'GET', path, { as: acme.owner })).status).toBe(422);
    },
  );
});

describe('replaying', () => {
  it('all failed deliveries leaves the others alone', async () => {
    receiver.answerWith({ status: 410 });
    const [arrived, waiting] = [await leave(), await leave()];
    const failed = [await leave(), await leave()];
    receiver.answerWith({ status: 204 });
    await attempt(arrived);
    receiver.answerWith({ status: 410 });
    for (const id of failed) await attempt(id);
    const params = { ...acme.params, id: action.id };
    await product.call(updateAction, { params, body: { enabled: true } }, acme.owner);
    const count = (query: object = {}) =>
      product.call(countReplays, { params: acme.params, query }, acme.owner);
    const since = new Date(product.clock.now().getTime() + 1000).toISOString();
    expect(await count()).toEqual({ count: 2, has_more: false });
    expect(await count({ action_id: action.id })).toEqual({ count: 2, has_more: false });
    for (const none of [{ since }, { late: 'true' }, { unconfirmed: 'true' }, { action_id: bolt.weekly.id }])
      expect(await count(none)).toEqual({ count: 0, has_more: false });
    // Counting has started nothing.
    for (const id of failed) expect((await rowOf(id)).status).toBe('failed');
    const replay = (body: object) =>
      product.call(replayDeliveries, { params: acme.params, body }, acme.owner);
    expect(await replay({ since })).toEqual({ replayed: 0, remaining: 0 });
    const answer = await replay({ action_id: action.id });
    expect(answer).toEqual({ replayed: 2, remaining: 0 });
    expect(await count()).toEqual({ count: 0, has_more: false });
    receiver.answerWith({ status: 204 });
    receiver.received.length = 0;
    for (const id of failed) expect((await attempt(id)).status).toBe('arrived');
    expect(receiver.received.map((one) => one.headers['webhook-id'])).toEqual(failed);
    expect((await rowOf(waiting)).attempt_count).toBe(0);
  });

  it('waiting deliveries brings forward those whose last attempt failed, and no others', async () => {
    const [fresh, retried, leased] = [await leave(), await leave(), await leave()];
    receiver.answerWith({ status: 500 });
    for (const id of [retried, leased, leased]) await attempt(id);
    // The first retry comes in seconds: there is nothing to bring forward.
    const count = (query: object = {}) =>
      product.call(countReplays, { params: acme.params, query }, acme.owner);
    expect(await count({ status: 'waiting' })).toMatchObject({ count: 1 });
    await attempt(retried);
    expect(await count({ status: 'waiting' })).toEqual({ count: 2, has_more: false });
    expect(await count()).toMatchObject({ count: 0 });
    await product.testDatabase.owner.query(`update deliveries set next_attempt_at = $2 where id = $1`, [
      leased,
      new Date(product.clock.now().getTime() + 20_000),
    ]);
    expect(secondsUntil((await rowOf(retried)).next_attempt_at)).toBeGreaterThan(60);
    const body = { status: 'waiting' as const, action_id: action.id };
    const replay = () => product.call(replayDeliveries, { params: acme.params, body }, acme.owner);
    expect(await replay()).toEqual({ replayed: 1, remaining: 0 });
    expect(secondsUntil((await rowOf(retried)).next_attempt_at)).toBeLessThanOrEqual(0);
    expect((await rowOf(retried)).try_count).toBe(0);
    expect((await rowOf(leased)).try_count).toBe(2);
    expect((await rowOf(fresh)).attempt_count).toBe(0);
    expect(await replay()).toEqual({ replayed: 0, remaining: 0 });
    receiver.answerWith({ status: 204 });
    expect((await attempt(retried)).status).toBe('arrived');
  });

  it('very many counts what remains up to the usual limit', async () => {
    receiver.answerWith({ status: 410 });
    const id = await leave();
    await attempt(id);
    await product.call(
      updateAction,
      { params: { ...acme.params, id: action.id }, body: { enabled: true } },
      acme.owner,
    );
    await product.testDatabase.owner.query(
      `insert into deliveries (site_id, id, action_id, customer_id, choice_id, event, status, attempt_count,
         try_count, created_at)
       select site_id, gen_random_uuid(), action_id, customer_id, choice_id, event, status, 1, 1, created_at
       from deliveries cross join generate_series(1, 11004) where id = $1`,
      [id],
    );
    const replay = () => product.call(replayDeliveries, { params: acme.params, body: {} }, acme.owner);
    expect(await replay()).toEqual({ replayed: 1000, remaining: 10_000 });
    expect(await product.call(countReplays, { params: acme.params, query: {} }, acme.owner)).toEqual({
      count: 10_000,
      has_more: true,
    });
    expect(await replay()).toEqual({ replayed: 1000, remaining: 9005 });
  });

  it('a delivery whose action was deleted answers 404', async () => {
    const id = await leave();
    await product.call(deleteAction, { params: { ...acme.params, id: action.id } }, acme.owner);
    await attempt(id);
    const refused = await product.refuse(replayDelivery, { params: { ...acme.params, id } }, acme.owner);
    expect(refused).toMatchObject({ status: 404, message: expect.stringContaining('deleted') as string });
    const all = await product.call(replayDeliveries, { params: acme.params, body: {} }, acme.owner);
    expect(all).toEqual({ replayed: 0, remaining: 0 });
  });

  it('a delivery for a person erased since reveals no address', async () => {
    const id = await leave();
    const { customer_id, customer_email } = await detail(id);
    await product.call(deleteCustomer, { params: { ...acme.params, id: customer_id } }, acme.owner);
    await attempt(id);
    expect(receiver.received[0]?.body).not.toContain(customer_email);
  });
});

describe('private addresses', () => {
  it('are not called unless it is allowed: loopback, private ranges, link-local, IPv6, and names that resolve to them', async () => {
    const guarded = await startTestProduct({ env: { ALLOW_PRIVATE_TARGETS: '0' } });
    try {
      const world = await buildWorld(guarded);
      const port = new URL(receiver.url).port;
      const hosts = [
        '127.0.0.1',
        'localhost',
        '10.0.0.1',
        '192.168.1.1',
        '172.16.0.1',
        '169.254.169.254',
        '[::1]',
        '0.0.0.0',
        '[::ffff:127.0.0.1]',
        '2130706433',
        '0x7f.1',
      ];
      for (const host of hosts) {
        // Refused when it is saved; one from before that, or a name that leads elsewhere now, is there all the same.
        const { id } = await buildWebhook(guarded, world, { url: 'https://example.com/hook' });
        await guarded.testDatabase.owner.query(
          `update actions set target = jsonb_build_object('url', $2::text) where id = $1`,
          [id, new URL(`http://${host}:${port}/hook`).href],
        );
      }
      const vera = await buildCustomer(guarded, world);
      const body = [{ notification_list_id: world.weekly.id, subscribed: false }];
      await guarded.call(setCustomerLists, { params: { ...world.params, id: vera.id }, body }, world.owner);
      const { results } = await guarded.call(
        listDeliveries,
        { params: world.params, query: {} },
        world.owner,
      );
      expect(results).toHaveLength(hosts.length);
      for (const { id } of results) {
        await deliverNow(guarded.services, { site_id: world.params.site_id, id, round: 0 });
        const read = await guarded.call(getDelivery, { params: { ...world.params, id } }, world.owner);
        expect(read).toMatchObject({
          status: 'waiting',
          last_error: 'The address is private. Sayso only calls public addresses.',
          attempts: [{ outcome: 'refused', response: null }],
        });
      }
      expect(receiver.received).toEqual([]);
    } finally {
      await guarded.stop();
    }
  });
});
