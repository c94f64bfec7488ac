import { afterAll, beforeAll, expect, it } from 'vitest';
import { getDomain } from '#contract/domains.ts';
import { type DnsServer, startDnsServer } from '#test/fakes/dns-server.ts';
import { setDomain, setRecords } from '#test/harness/domains.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildWorld } from '#test/harness/world.ts';

let dns: DnsServer;
let product: TestProduct;

beforeAll(async () => {
  dns = await startDnsServer();
  product = await startTestProduct({ worker: true, env: { DNS_SERVERS: dns.address } });
});

afterAll(async () => {
  await product.stop();
  await dns.close();
});

it('a worker verifies a new domain automatically within a minute and a half of its records', async () => {
  const acme = await buildWorld(product, 'acme');
  const host = 'preferences.acme.example';
  await setDomain(product, acme, host);
  setRecords(product, dns, acme, host);
  const status = async () => (await product.call(getDomain, { params: acme.params }, acme.owner)).status;
  await expect.poll(status, { timeout: 90_000, interval: 500 }).toBe('verified');
});
