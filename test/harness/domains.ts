import { checkDomain, type SiteDomain } from '#contract/domains.ts';
import { updateSite } from '#contract/sites.ts';
import { domainProof } from '#server/accounts/domains/domains.ts';
import type { DnsServer } from '#test/fakes/dns-server.ts';
import type { TestProduct } from './product.ts';
import type { World } from './world.ts';

/** Sets the two records as the product asks for them. */
export function setRecords(product: TestProduct, dns: DnsServer, world: World, host: string): void {
  dns.set(host, { CNAME: world.site.domain_name });
  setProof(product, dns, world, host);
}

export function setProof(product: TestProduct, dns: DnsServer, world: World, host: string): void {
  dns.set(`_sayso.${host}`, { TXT: [domainProof(product.services.keyring, world.site.id, host)] });
}

export async function setDomain(product: TestProduct, world: World, host: string | null): Promise<void> {
  const body = { custom_domain: host };
  await product.call(updateSite, { params: world.params, body }, world.owner);
}

/** Gives a site an own domain that is served. */
export async function verifyDomain(
  product: TestProduct,
  dns: DnsServer,
  world: World,
  host: string,
): Promise<SiteDomain> {
  await setDomain(product, world, host);
  setRecords(product, dns, world, host);
  return product.call(checkDomain, { params: world.params }, world.owner);
}
