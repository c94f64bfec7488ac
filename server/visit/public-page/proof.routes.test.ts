import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Customer, listCustomers } from '#contract/customers.ts';
import { createPreferencePage, type PreferencePage } from '#contract/preference-pages.ts';
import { openCustomer, saveLists } from '#contract/public-preferences.ts';
import { storeNotedTexts } from '#server/pages/shown-texts/shown-texts.ts';
import { type MailServer, startMailServer } from '#test/fakes/mail-server.ts';
import { rawRequest } from '#test/harness/http.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { changesBy } from '#test/harness/rows.ts';
import { buildCustomer, buildWorld, type World } from '#test/harness/world.ts';

// oxlint-disable-next-line typescript/unbound-method
const realQuery = pg.Client.prototype.query;

let mailServer: MailServer;
let product: TestProduct;
let world: World;
let vera: Customer;
/** Asks for proof and lets nobody new in. */
let closed: PreferencePage;
/** Asks for proof and lets new people in. */
let welcoming: PreferencePage;

beforeAll(async () => {
  mailServer = await startMailServer();
  product = await startTestProduct({ worker: true, env: { SMTP_URL: mailServer.url } });
  world = await buildWorld(product);
  vera = await buildCustomer(product, world);
  closed = await buildPage('proof', false);
  welcoming = await buildPage('welcome', true);
});

afterAll(async () => {
  await product.stop();
  await mailServer.close();
});

beforeEach(async () => {
  mailServer.mails.length = 0;
  await product.testDatabase.owner.query('delete from rate_limits');
});

function buildPage(custom_path: string, allow_customer_create: boolean): Promise<PreferencePage> {
  return product.call(
    createPreferencePage,
    {
      params: world.params,
      body: {
        name: 'Proof',
        custom_path,
        allow_customer_create,
        active_languages: ['de'],
        attrs: { enhanced_security: true },
        lists: [{ id: world.weekly.id }],
        override: { reason: 'Only the words of the page are looked at.' },
      },
    },
    world.owner,
  );
}

const ask = (email: string, page = closed) =>
  rawRequest(product, 'POST', '/api/customer/v1/customers', {
    as: world.visitor,
    body: { email, custom_path: page.custom_path },
  });

const hostOf = () => `${world.site.domain_name}:${product.services.config.port}`;

const get = (url: string) => product.http.inject({ method: 'GET', url, headers: { host: hostOf() } });

function type(email: string, page = closed, headers: Record<string, string> = {}) {
  return product.http.inject({
    method: 'POST',
    url: `/${page.custom_path}`,
    headers: { host: hostOf(), 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams({ intent: 'find', email }).toString(),
  });
}

async function allSent(): Promise<void> {
  const open = async () =>
    (
      await product.testDatabase.owner.query<{ count: number }>(
        `select count(*)::int as count from queue.job where name = 'customer-mails' and state < 'completed'`,
      )
    ).rows[0]?.count;
  await expect.poll(open).toBe(0);
}

const customersWith = async (search: string) =>
  (await product.call(listCustomers, { params: world.params, query: { search } }, world.owner)).results;

/** The kinds of statements that are sent to a database meanwhile, in their order. */
async function statementsOf(database: string, work: () => Promise<unknown>): Promise<string[]> {
  const texts: string[] = [];
  const query = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...args: unknown[]
  ) {
    const [first] = args as [string | { text: string }];
    const text = (typeof first === 'string' ? first : first.text).replace(/'[^']*'/g, "''");
    // Workers are woken a moment later, and each connection prepares a statement once, for any address.
    const isOfRequest = !text.includes('pg_notify') && !text.startsWith('prepare ');
    if (this.database === database && isOfRequest) texts.push(text);
    return Reflect.apply(realQuery, this, args) as never;
  } as never);
  try {
    await work();
  } finally {
    query.mockRestore();
  }
  return texts;
}

/** What differs from one answer to the next anyway. */
const withoutNonce = (text: string) => text.replaceAll(/nonce="[^"]+"/g, 'nonce=""');

describe('a page that asks for proof', () => {
  it('gives the same API answer for a known and an unknown address: status, headers and body', async () => {
    const answers = [await ask(vera.email), await ask('nobody@example.com')];
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 403, codes: ['proof_needed'] });
    }
    const [known, unknown] = answers.map(({ text, headers }) => {
      const named = [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
      return { text, headers: named.toSorted() };
    });
    expect(known).toEqual(unknown);
  });

  it('gives the same answer to the plain form', async () => {
    const [known, unknown] = [await type(vera.email), await type('nobody@example.com')];
    expect(known.statusCode).toBe(200);
    expect(unknown.statusCode).toBe(200);
    expect(withoutNonce(known.body)).toBe(withoutNonce(unknown.body));
    expect(known.body).toContain('Check your inbox');
    expect(known.body).not.toContain(vera.email);
    expect(Object.keys(known.headers).toSorted()).toEqual(Object.keys(unknown.headers).toSorted());
    await allSent();
  });

  it('does the same work for both before it answers, so that its timing does not tell them apart', async () => {
    const idle = await startTestProduct({ env: { SMTP_URL: mailServer.url } });
    try {
      const there = await buildWorld(idle);
      const people = [await buildCustomer(idle, there), await buildCustomer(idle, there)];
      await idle.call(
        createPreferencePage,
        {
          params: there.params,
          body: { name: 'Proof', custom_path: 'proof', attrs: { enhanced_security: true } },
        },
        there.owner,
      );
      const askThere = (email: string) =>
        idle.refuse(openCustomer, { body: { email, custom_path: 'proof' } }, there.visitor);
      // Until the caches are warm: the news of the page's making may still be under way and empty them.
      const isCold = async () =>
        (await statementsOf(idle.testDatabase.name, () => askThere('first@example.com'))).some((text) =>
          text.includes('preference_pages'),
        );
      await expect.poll(isCold, { timeout: 10_000, interval: 300 }).toBe(false);
      // A moment after a page was first shown its text is looked for, for any address.
      await storeNotedTexts(idle.services);
      // The worker is called, and tables are looked at, in their own time, for any address.
      const answered = async (email: string) =>
        (await statementsOf(idle.testDatabase.name, () => askThere(email))).filter(
          (text) => !/pg_notify|analyze_grown_tables/.test(text),
        );
      // Each address is asked about once: later requests may take less. With two others when a statement of a background
      // task fell in.
      let [known, unknown]: [string[], string[]] = [[], []];
      for (const { email } of people) {
        [known, unknown] = [await answered(email), await answered(`not-${email}`)];
        if (isDeepStrictEqual(known, unknown)) break;
      }
      expect(known.length).toBeGreaterThan(3);
      expect(known).toEqual(unknown);
    } finally {
      await idle.stop();
    }
  });

  it('queues the same job for every address', async () => {
    const rows = async () =>
      (
        await product.testDatabase.owner.query<{ length: number; start: Date }>(
          `select length(data::text) as length from queue.job where name = 'customer-mails' order by created_on desc limit 2`,
        )
      ).rows.map(({ length }) => length);
    await ask(vera.email);
    await ask(vera.email.replace('vera', 'zora'));
    const [one, other] = await rows();
    expect(one).toBe(other);
    await allSent();
  });

  it('emails the known one a link that opens it as proven, and the unknown one nothing', async () => {
    await ask('nobody@example.com');
    await ask(vera.email);
    await allSent();
    expect(mailServer.mails.map((mail) => mail.to?.[0]?.address)).toEqual([vera.email]);
    expect(await customersWith('nobody@')).toEqual([]);
    const link = new URL(/https?:\S+/.exec(mailServer.mails[0]?.text ?? '')?.[0] ?? '');
    expect(link.host).toBe(hostOf());
    const opened = await get(`${link.pathname}${link.search}`);
    expect(opened.statusCode).toBe(200);
    expect(opened.body).toContain(vera.email);
    const challenge = link.searchParams.get('challenge') ?? '';
    const customer = await product.call(
      openCustomer,
      { body: { challenge, custom_path: closed.custom_path } },
      world.visitor,
    );
    const body = [{ notification_list_id: world.weekly.id, subscribed: false }];
    await product.call(saveLists, { params: { customerId: customer.id }, body }, world.visitor);
  });

  it('creates a new customer where the page lets people in, and writes in their language', async () => {
    await type('new.person@example.com', welcoming, { 'accept-language': 'de' });
    await allSent();
    const [person] = await customersWith('new.person@');
    expect(person?.email).toBe('new.person@example.com');
    expect(mailServer.mails[0]).toMatchObject({
      subject: 'Ihr persönlicher Link für Proof',
      to: [{ address: 'new.person@example.com' }],
    });
  });

  it('gives two people two different links', async () => {
    const ben = await buildCustomer(product, world);
    await Promise.all([ask(vera.email), ask(ben.email)]);
    await allSent();
    const linkOf = (email: string) =>
      new URL(
        /https?:\S+/.exec(
          mailServer.mails.find((mail) => mail.to?.[0]?.address === email)?.text ?? '',
        )?.[0] ?? '',
      );
    for (const [own, other] of [
      [vera, ben],
      [ben, vera],
    ] as const) {
      const link = linkOf(own.email);
      const { body } = await get(`${link.pathname}${link.search}`);
      expect(body).toContain(own.email);
      expect(body).not.toContain(other.email);
    }
  });

  it('opened by an address shows the filled-in form and its button, and neither emails nor writes anything', async () => {
    const changes = await changesBy(product.testDatabase.owner, async () => {
      for (const method of ['GET', 'HEAD'] as const) {
        await product.http.inject({
          method,
          url: `/proof?email=${vera.email}&state=unsubscribe`,
          headers: { host: hostOf() },
        });
      }
      const { statusCode, body } = await get(`/proof?email=${vera.email}`);
      expect(statusCode).toBe(200);
      expect(body).toContain(`value="${vera.email}"`);
      expect(body).toContain('Email me my link');
      expect(body).not.toContain('data-known');
    });
    expect(changes).toEqual([]);
  });

  it('opened by nobody leads to /404, as the specification says', async () => {
    expect((await get('/proof')).body).toContain('http-equiv="refresh" content="0;url=/404"');
  });
});

describe('someone who asks too often', () => {
  it('gets three emails an hour per address and no more, with the same answer', async () => {
    const answers = [];
    for (let turn = 0; turn < 5; turn += 1) answers.push((await ask(vera.email.toUpperCase())).text);
    await allSent();
    expect(new Set(answers).size).toBe(1);
    expect(mailServer.mails).toHaveLength(3);
  });

  it('is told so by their IP, on a friendly page, known or not', async () => {
    for (let turn = 0; turn < 60; turn += 1) await ask(`p${turn}@example.com`);
    const refused = await ask(vera.email);
    expect(refused).toMatchObject({ status: 429, codes: ['rate_limited'] });
    for (const email of [vera.email, 'nobody@example.com']) {
      const page = await type(email);
      expect(page.statusCode).toBe(429);
      expect(Number(page.headers['retry-after'])).toBeGreaterThan(0);
      expect(page.body).toContain('Too many attempts');
      expect(page.body).toContain('Try again');
    }
    await allSent();
  });
});
