import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAction, updateAction } from '#contract/actions.ts';
import { updateSite } from '#contract/sites.ts';
import { sendOutboundMessage } from '#server/delivery/sending/outbound-message.ts';
import { isPublicAddress, looksPublic } from '#server/platform/ip-addresses.ts';
import { createOutbound } from '#server/platform/outbound.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildWorld, type World } from '#test/harness/world.ts';

/** What no webhook and no evidence is sent to, in each way that it can be written. */
const PRIVATE_HOSTS = [
  '127.0.0.1',
  '127.1',
  '0x7f000001',
  '2130706433',
  '017700000001',
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '172.31.255.255',
  '192.168.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[::7f00:1]',
  '[::10.0.0.1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:a00:1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::a00:1]',
  '[2002:7f00:1::]',
  '[2002:c0a8:1::1]',
  '[2001:0:7f00:1::]',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[ff02::1]',
  '[100::1]',
  '[2001:db8::1]',
  '[5f00::1]',
  'localhost',
  'LOCALHOST.',
  'shop.localhost',
  'printer.local',
  'metadata.google.internal',
  'database',
  'router.lan',
  'nas.home.arpa',
];

const PUBLIC_HOSTS = [
  'example.com',
  'hooks.example.co.uk',
  '93.184.216.34',
  '8.8.8.8',
  '172.32.0.1',
  '[2606:2800:220:1:248:1893:25c8:1946]',
  '[2a00:1450:4001:82a::200e]',
];

let product: TestProduct;
let world: World;
let server: Server;
let asked = 0;

beforeAll(async () => {
  product = await startTestProduct({ env: { ALLOW_PRIVATE_TARGETS: '0' } });
  world = await buildWorld(product);
  server = createServer((_, response) => {
    asked += 1;
    response.end('ok');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, resolve);
  });
});

afterAll(async () => {
  server.close();
  await product.stop();
});

const action = (type: 'webhook' | 'evidence', url: string) => ({
  params: world.params,
  body: {
    type,
    name: 'Tell the shop',
    trigger: { event: 'unsubscribed' as const, list_ids: [] },
    target: { url },
  },
});

const REFUSED = { status: 422, errors: [{ code: 'invalid_field', field: 'target.url' }] };

describe.each(['webhook', 'evidence'] as const)('the address of %s', (type) => {
  it.each(PRIVATE_HOSTS)('%s is rejected when it is saved', async (host) => {
    const refused = await product.refuse(createAction, action(type, `https://${host}/hook`), world.owner);
    expect(refused).toMatchObject(REFUSED);
    expect(refused.message).toContain('private address');
  });
});

it('signed heads are sent to no private address: it is rejected when it is saved', async () => {
  const save = (host: string) => ({
    params: world.params,
    body: { evidence_anchor: `https://${host}/heads` },
  });
  for (const host of PRIVATE_HOSTS) {
    const refused = await product.refuse(updateSite, save(host), world.owner);
    expect(refused, host).toMatchObject({
      status: 422,
      errors: [{ code: 'invalid_field', field: 'evidence_anchor' }],
    });
  }
  await product.call(updateSite, save('example.com'), world.owner);
});

it.each(['webhook', 'evidence'] as const)(
  '%s that leads back to the app or to a site is refused',
  async (type) => {
    const open = await startTestProduct();
    const { params, owner, page } = await buildWorld(open);
    try {
      for (const url of [
        `${open.url}/hooks/one/two`,
        page.url,
        page.url.replace('localhost', 'localhost.'),
      ]) {
        const call = { params, body: { ...action(type, url).body } };
        const refused = await open.refuse(createAction, call, owner);
        expect(refused, url).toMatchObject(REFUSED);
        expect(refused.message, url).toContain('leads back to Sayso');
      }
      const elsewhere = action(type, 'http://localhost:1/hook').body;
      const made = await open.call(createAction, { params, body: elsewhere }, owner);
      const moved = { params: { ...params, id: made.id }, body: { target: { url: page.url } } };
      expect(await open.refuse(updateAction, moved, owner)).toMatchObject(REFUSED);
      // As one whose host became a site's own domain since it was saved.
      const attempt = await sendOutboundMessage(open.services, {
        request: { method: 'POST', url: page.url, headers: {}, body: '{}' },
        mail: null,
      });
      expect(attempt).toMatchObject({ outcome: 'refused', response: null, isFinal: true });
    } finally {
      await open.stop();
    }
  },
);

it('a public address can be saved, and cannot be changed to a private one', async () => {
  const made = await product.call(createAction, action('webhook', 'https://example.com/hook'), world.owner);
  const params = { ...world.params, id: made.id };
  const body = { target: { url: 'https://[::7f00:1]/hook' } };
  expect(await product.refuse(updateAction, { params, body }, world.owner)).toMatchObject(REFUSED);
});

it.each(PUBLIC_HOSTS)('%s is public', (host) => {
  expect(looksPublic(new URL(`https://${host}/`))).toBe(true);
});

it.each(['', 'x', '1.2.3', '::g', 'localhost'])('%j is not a public address', (text) => {
  expect(isPublicAddress(text)).toBe(false);
});

it('no private address is called, nor is a name that resolves to one', async () => {
  const outbound = createOutbound({ allowPrivateTargets: false });
  const { port } = server.address() as AddressInfo;
  try {
    for (const host of PRIVATE_HOSTS) {
      const url = `http://${host}:${port}/`;
      await expect(outbound.send({ method: 'POST', url, headers: {}, body: '' }), host).rejects.toMatchObject(
        { kind: 'blocked' },
      );
      await expect(outbound.download(url, { accept: '*/*', maxBytes: 10 }), host).rejects.toMatchObject({
        kind: 'blocked',
      });
    }
  } finally {
    outbound.close();
  }
  expect(asked).toBe(0);
});
