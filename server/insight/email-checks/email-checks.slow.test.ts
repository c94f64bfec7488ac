import { afterAll, beforeAll, expect, it } from 'vitest';
import { MAX_EMAIL_BYTES } from '#contract/email-checks.ts';
import { type DnsServer, startDnsServer } from '#test/fakes/dns-server.ts';
import { type DkimKey, dkimKey } from '#test/harness/dkim-signer.ts';
import { eachOf } from '#test/harness/each-of.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { hostileEmails, SELECTOR, SHOP, shopEmail } from '#test/harness/shop-emails.ts';
import { buildWorld, type World } from '#test/harness/world.ts';

let dns: DnsServer;
let product: TestProduct;
let world: World;
let key: DkimKey;

beforeAll(async () => {
  dns = await startDnsServer();
  product = await startTestProduct({ env: { DNS_SERVERS: dns.address } });
  world = await buildWorld(product);
  key = dkimKey();
  dns.set(`${SELECTOR}._domainkey.${SHOP}`, { TXT: [key.record] });
});

afterAll(async () => {
  await product.stop();
  await dns.close();
});

/** Sending and receiving it, and judging what the process that reads it found: others wait for this thread meanwhile. */
const MAX_CPU_MS = 200;

const good = () => ({ key, oneClickUrl: `https://${SHOP}/u/one`, html: `<p>Hello Nora</p>` });

async function statusOf(email: string): Promise<number> {
  const { organization_id, site_id } = world.params;
  const path = `/api/core/v1/organizations/${organization_id}/sites/${site_id}/email-checks`;
  const headers = { authorization: `Bearer ${world.owner.token}`, 'content-type': 'message/rfc822' };
  return (await fetch(product.url + path, { method: 'POST', headers, body: email })).status;
}

it('a hostile email of the largest size costs the serving process no more than a moment, however it is built', () =>
  eachOf(
    hostileEmails((email) => shopEmail(email, good())),
    async ([, raw]) => {
      const email = raw();
      expect(email.length).toBeLessThan(MAX_EMAIL_BYTES);
      await product.testDatabase.owner.query('delete from rate_limits');
      const before = process.threadCpuUsage();
      const status = await statusOf(email);
      const { user, system } = process.threadCpuUsage(before);
      expect((user + system) / 1000).toBeLessThan(MAX_CPU_MS);
      expect([200, 422]).toContain(status);
    },
    ([name]) => name,
  ));
