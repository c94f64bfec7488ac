import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { logIn } from '#contract/accounts.ts';
import { setCustomerLists } from '#contract/customers.ts';
import { openCustomer, saveLists } from '#contract/public-preferences.ts';
import { API_PREFIX } from '#contract/route.ts';
import { dkimKey } from '#test/harness/dkim-signer.ts';
import type { Calls } from '#test/harness/product.ts';
import { hostileEmails, SHOP, shopEmail } from '#test/harness/shop-emails.ts';
import { buildCustomer, PASSWORD, type World } from '#test/harness/world.ts';

/*
 * What strangers and fresh accounts can send, of which each once held up everyone or ended the process. The proof
 * (`test/slow/hostile-requests.test.ts`) and the soak send it.
 */

const RECORDS = 1000;
const AT_ONCE = 60;
const LOG_INS = 20;
const SAVES = 500;
const MEGABYTE = 1024 * 1024;

type Answers = readonly (number | null)[];

export interface HostileRequests {
  name: string;
  /** Resolves once all are answered: with their statuses, null for a connection that ended without an answer. */
  send(): Promise<Answers>;
  /** What they are answered with. */
  expected: Answers;
}

/**
 * Records a thousand choices of one customer of `world`, for its downloads.
 * @param world whose owner sends what a stranger can't
 */
export async function buildHostileRequests(
  product: Calls,
  url: string,
  world: World,
): Promise<HostileRequests[]> {
  const { owner, params, visitor, page, weekly } = world;
  const customer = await buildCustomer(product, world);
  const item = { ...params, id: customer.id };
  for (let n = 0; n < RECORDS; n += 1) {
    const body = [{ notification_list_id: weekly.id, subscribed: n % 2 === 0 }];
    await product.call(setCustomerLists, { params: item, body }, owner);
  }

  const site = `${API_PREFIX}/core/v1/organizations/${params.organization_id}/sites/${params.site_id}`;
  /** @returns the status, or null if the connection ended without an answer */
  async function send(path: string, init: RequestInit = {}): Promise<number | null> {
    try {
      const headers = { authorization: `Bearer ${owner.token}`, ...init.headers };
      const answer = await fetch(url + path, { ...init, headers });
      await answer.arrayBuffer();
      return answer.status;
    } catch {
      return null;
    }
  }
  const upload = (path: string, type: string, body: string) =>
    send(path, { method: 'POST', headers: { 'content-type': type }, body });
  const uploadFile = (text: string) => upload(`${site}/imports/files?file_name=a.csv`, 'text/csv', text);
  /** By the site's host, as a browser would. */
  async function visit(path: string): Promise<number | null> {
    const headers = { host: `${visitor.host}:${new URL(url).port}` };
    const sent = request(url + path, { headers }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    await once(answer, 'end');
    return answer.statusCode ?? null;
  }
  const times = (count: number, one: (n: number) => Promise<number | null>) =>
    Promise.all(Array.from({ length: count }, (_, n) => one(n)));

  async function saveByTypedAddress(): Promise<Answers> {
    const body = { email: customer.email, custom_path: page.custom_path };
    const { id: customerId } = await product.call(openCustomer, { body }, visitor);
    const path = API_PREFIX + saveLists.path.replace('{customerId}', customerId);
    const headers = { 'x-site-domain': visitor.host ?? '', 'content-type': 'application/json' };
    return times(SAVES, (n) => {
      const change = [{ notification_list_id: weekly.id, subscribed: n % 2 === 0 }];
      return send(path, { method: 'PUT', headers, body: JSON.stringify(change) });
    });
  }

  async function breakOff(): Promise<null> {
    const { hostname, port, host } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.write(
      `POST ${site}/imports/files?file_name=a.csv HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${owner.token}\r\n` +
        `content-type: text/csv\r\ncontent-length: ${MEGABYTE}\r\n\r\nemail\n`,
    );
    await once(socket, 'connect');
    socket.destroy();
    return null;
  }

  const key = dkimKey();
  const emails = hostileEmails((email) =>
    shopEmail(email, { key, oneClickUrl: `https://${SHOP}/u/one`, html: '<p>Hello</p>' }),
  );

  return [
    {
      name: 'a picture of 2 MB that is said to be a document over and over',
      expected: [422],
      send: async () => [
        await upload(`${site}/images?kind=logo`, 'image/svg+xml', fill('<!DOCTYPE ', 2 * MEGABYTE)),
      ],
    },
    {
      name: 'a file with one line of 4 MB',
      expected: [422],
      send: async () => [await uploadFile(`${fill('"a" ', 4 * MEGABYTE)}\n`)],
    },
    {
      name: 'a file of 3.6 MB of commas',
      expected: [422],
      send: async () => [await uploadFile(fill(',', 3_600_000))],
    },
    {
      name: 'addresses of pages with 15 kB of parameters',
      expected: [200],
      send: () => times(AT_ONCE, (n) => visit(`/${page.custom_path}?${n}&${fill('c=', 15_000)}`)),
    },
    {
      name: 'sixty downloads of evidence at once',
      expected: [200, 503],
      send: () => times(AT_ONCE, () => send(`${site}/evidence/proof`)),
    },
    {
      name: 'a PDF of a thousand records, ten times at once',
      expected: [200, 503, null],
      send: () => times(10, () => send(`${site}/customers/${customer.id}/proof/pdf`)),
    },
    { name: 'five hundred saves at once by a typed address', expected: [200, 429], send: saveByTypedAddress },
    { name: 'sixty uploads that break off', expected: [null], send: () => times(AT_ONCE, breakOff) },
    {
      name: 'twenty log-ins at once',
      expected: [401],
      send: () =>
        times(LOG_INS, (n) => {
          const body = JSON.stringify({ username: `${owner.username}${n}`, password: PASSWORD });
          return upload(API_PREFIX + logIn.path, 'application/json', body);
        }),
    },
    {
      name: 'emails that are slow to read',
      expected: [200, 422, 429],
      send: async () => {
        const answers: (number | null)[] = [];
        for (const [, raw] of emails)
          answers.push(await upload(`${site}/email-checks`, 'message/rfc822', raw()));
        return answers;
      },
    },
  ];
}

const fill = (piece: string, length: number) =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
