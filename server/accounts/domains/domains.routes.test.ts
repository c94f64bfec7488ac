import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { logIn } from '#contract/accounts.ts';
import { check } from '#contract/checkers.ts';
import { mintLinks } from '#contract/customers.ts';
import { askTls, checkDomain, getDomain, type SiteDomain } from '#contract/domains.ts';
import { createOrganization } from '#contract/organizations.ts';
import { getPublicPage } from '#contract/public-preferences.ts';
import { createSite, listSites } from '#contract/sites.ts';
import { createDns, type Dns } from '#server/platform/dns.ts';
import { createLog } from '#server/platform/log.ts';
import { createKeyring } from '#server/platform/secrets.ts';
import { createProduct } from '#server/product.ts';
import { type DnsServer, startDnsServer } from '#test/fakes/dns-server.ts';
import { setDomain, setProof, setRecords, verifyDomain } from '#test/harness/domains.ts';
import { rawRequest } from '#test/harness/http.ts';
import { freePort } from '#test/harness/ports.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildSite, buildWorld, PASSWORD, type World } from '#test/harness/world.ts';
import { checkDueDomains } from './domains.jobs.ts';
import { domainProof } from './domains.ts';

let dns: DnsServer;
let product: TestProduct;
/** Asks as the product does. */
let patient: Dns;
let acme: World;
let bolt: World;

beforeAll(async () => {
  dns = await startDnsServer();
  product = await startTestProduct({ env: { DNS_SERVERS: dns.address } });
  patient = { ...product.services.dns };
  acme = await buildWorld(product, 'acme');
  bolt = await buildWorld(product, 'bolt');
});

/** Sites of their own for each test: how often a site may be checked is limited. */
beforeEach(async () => {
  acme = await buildSite(product, acme.owner, acme.params.organization_id);
  bolt = await buildSite(product, bolt.owner, bolt.params.organization_id);
});

afterEach(async () => {
  dns.mood = 'answering';
  Object.assign(product.services.dns, patient);
  dns.broken.clear();
  for (const world of [acme, bolt]) await setDomain(product, world, null);
});

afterAll(async () => {
  await product.stop();
  await dns.close();
});

const freshHost = (name = 'mail') => `${name}-${randomBytes(4).toString('hex')}.example`;

function checkNow(world = acme): Promise<SiteDomain> {
  return product.call(checkDomain, { params: world.params }, world.owner);
}

function shownDomain(world = acme): Promise<SiteDomain> {
  return product.call(getDomain, { params: world.params }, world.owner);
}

/** Which of the two records is how, by its type. */
function statusesOf(domain: SiteDomain): Record<string, string> {
  return Object.fromEntries(domain.records.map(({ type, status }) => [type, status]));
}

function recordOf(domain: SiteDomain, type: 'CNAME' | 'TXT') {
  const found = domain.records.find((record) => record.type === type);
  if (found === undefined) throw new Error(`There is no ${type} record`);
  return found;
}

/** Name of the page that a visitor of this host sees, or the status of the refusal. */
async function pageAt(host: string): Promise<string | number> {
  const answer = await product
    .call(getPublicPage, { params: { custom_path: 'preferences' } }, { host })
    .catch((error: { status: number }) => error);
  return 'lists' in answer ? answer.name : answer.status;
}

/** The same by the Host header, as browsers come. */
async function browserAt(host: string, path = '/preferences') {
  const { statusCode, body } = await product.http.inject({ method: 'GET', url: path, headers: { host } });
  return { status: statusCode, body: body.replace(/nonce="[^"]*"/g, 'nonce') };
}

async function siteOf(world: World) {
  const params = { organization_id: world.params.organization_id };
  const { results } = await product.call(listSites, { params }, world.owner);
  return results.find((site) => site.id === world.site.id);
}

async function mailsAbout(host: string): Promise<string[]> {
  const { rows } = await product.testDatabase.owner.query<{ subject: string }>(
    'select subject from outbox_emails where subject like $1 order by id',
    [`%${host}%`],
  );
  return rows.map(({ subject }) => subject);
}

const recheckDomains = () => checkDueDomains(product.services);

/** The worker's round after this time; the owners, whose sessions have ended meanwhile, are back as well. */
async function lookAgainAfter(by: { hours?: number; days?: number }): Promise<void> {
  product.clock.advance(by);
  await recheckDomains();
  for (const { owner } of [acme, bolt]) {
    const body = { username: owner.username, password: PASSWORD };
    owner.token = (await product.call(logIn, { body })).access_token;
  }
}

describe('the records of a domain', () => {
  it('are shown before the first check: a CNAME to the site and a TXT value for this site and domain only', async () => {
    const host = freshHost();
    await setDomain(product, acme, host);
    const domain = await shownDomain();
    expect(domain).toMatchObject({ host, status: 'pending', notice: null, checked_at: null, addresses: [] });
    expect(domain.records).toEqual([
      { type: 'CNAME', name: host, value: acme.site.domain_name, status: 'unchecked', found: [] },
      {
        type: 'TXT',
        name: `_sayso.${host}`,
        value: domainProof(product.services.keyring, acme.site.id, host),
        status: 'unchecked',
        found: [],
      },
    ]);
    const others = [
      domainProof(product.services.keyring, bolt.site.id, host),
      domainProof(product.services.keyring, acme.site.id, freshHost()),
    ];
    expect(others).not.toContain(recordOf(domain, 'TXT').value);
  });

  it('answer 404 without a domain', async () => {
    await setDomain(product, acme, null);
    for (const route of [getDomain, checkDomain]) {
      const refusal = await product.refuse(route, { params: acme.params }, acme.owner);
      expect(refusal).toMatchObject({ status: 404, errors: [{ code: 'not_found' }] });
    }
  });

  it('verify the domain when both are right: it is served, and used by the site and in new links (spec 108)', async () => {
    const host = freshHost();
    await setDomain(product, acme, host);
    expect(await pageAt(host)).toBe(404);
    const verified = await verifyDomain(product, dns, acme, host);
    expect(verified).toMatchObject({ status: 'verified', notice: null });
    expect(statusesOf(verified)).toEqual({ CNAME: 'found', TXT: 'found' });
    expect(await pageAt(host)).toBe('Acme');
    expect((await browserAt(host)).status).toBe(200);
    expect(await pageAt(acme.site.domain_name)).toBe('Acme');

    const port = new URL(product.url).port;
    expect(await siteOf(acme)).toMatchObject({
      custom_domain: host,
      custom_domain_status: 'verified',
      url: `http://${host}:${port}`,
    });
    const vera = await buildCustomer(product, acme);
    const params = { ...acme.params, id: vera.id };
    const links = await product.call(mintLinks, { params, body: {} }, acme.owner);
    expect(new URL(links.preference_url).hostname).toBe(host);
    expect(new URL(links.one_click_url).hostname).toBe(host);
  });

  it('that are still pending serve nothing, and links use the subdomain', async () => {
    const host = freshHost();
    await setDomain(product, acme, host);
    setProof(product, dns, acme, host);
    expect(statusesOf(await checkNow())).toEqual({ CNAME: 'missing', TXT: 'found' });
    expect(await pageAt(host)).toBe(404);
    const vera = await buildCustomer(product, acme);
    const params = { ...acme.params, id: vera.id };
    const links = await product.call(mintLinks, { params, body: {} }, acme.owner);
    expect(new URL(links.preference_url).hostname).toBe(acme.site.domain_name);
  });

  it('can be checked at most 20 times a minute', async () => {
    await setDomain(product, acme, freshHost());
    for (let count = 0; count < 20; count += 1) await checkNow();
    const refusal = await product.refuse(checkDomain, { params: acme.params }, acme.owner);
    expect(refusal).toMatchObject({ status: 429, errors: [{ code: 'rate_limited' }] });
  });
});

describe('the TXT record', () => {
  let host: string;
  beforeEach(() => {
    host = freshHost('txt');
  });

  /** What a check says of the TXT record when this stands there. */
  async function txtWith(values: Parameters<DnsServer['set']>[1]) {
    await setDomain(product, acme, null);
    await setDomain(product, acme, host);
    dns.set(host, null);
    dns.set(`_sayso.${host}`, values);
    const { status, found } = recordOf(await checkNow(), 'TXT');
    return { status, found };
  }

  const right = () => domainProof(product.services.keyring, acme.site.id, host);

  it('is missing when its name does not exist', async () => {
    expect(await txtWith(null)).toEqual({ status: 'missing', found: [] });
  });

  it('is missing when its name has only other kinds of records', async () => {
    expect(await txtWith({ A: ['192.0.2.1'] })).toEqual({ status: 'missing', found: [] });
  });

  it('is wrong with another value, which is shown', async () => {
    expect(await txtWith({ TXT: ['v=spf1 -all'] })).toEqual({ status: 'wrong', found: ['v=spf1 -all'] });
  });

  it.each<[string, () => string]>([
    ['the value of another site', () => domainProof(product.services.keyring, bolt.site.id, host)],
    ['the value of another domain', () => domainProof(product.services.keyring, acme.site.id, 'a.example')],
    ['a value cut off', () => right().slice(0, -2)],
    ['a value with more behind it', () => `${right()}00`],
    [
      'a value of keys that we do not have',
      () => domainProof(createKeyring(['x'.repeat(40)]), acme.site.id, host),
    ],
    ['only the prefix', () => 'sayso-verification='],
  ])('with %s is wrong', async (_, value) => {
    expect((await txtWith({ TXT: [value()] })).status).toBe('wrong');
  });

  it('is found among several', async () => {
    const several = await txtWith({ TXT: ['v=spf1 -all', right(), 'another=1'] });
    expect(several).toEqual({ status: 'found', found: [right()] });
  });

  it('is found in parts, in quotation marks, and with spaces around it', async () => {
    const value = right();
    expect((await txtWith({ TXT: [[value.slice(0, 9), value.slice(9)]] })).status).toBe('found');
    expect((await txtWith({ TXT: [`"${value}"`] })).status).toBe('found');
    expect((await txtWith({ TXT: [` ${value} `] })).status).toBe('found');
  });

  it('is found behind a CNAME of its own', async () => {
    dns.set('proofs.agency.example', { TXT: [right()] });
    expect((await txtWith({ CNAME: 'proofs.agency.example' })).status).toBe('found');
  });

  it('made with an older key is accepted as long as the key is there', async () => {
    const older = createKeyring([...product.services.config.secretKeys]);
    expect((await txtWith({ TXT: [domainProof(older, acme.site.id, host)] })).status).toBe('found');
  });

  it('with unprintable bytes, endless or many values is shown short and harmless', async () => {
    const bytes = Buffer.from([0, 7, 0xff, 0xfe, 0x1b, ...Buffer.from('[31m\u202eevil')]);
    const many = Array.from({ length: 9 }, (_, index) => `n${index}`);
    const answer = await txtWith({ TXT: [bytes, ['x'.repeat(255), 'y'.repeat(255)], ...many] });
    expect(answer.status).toBe('wrong');
    expect(answer.found).toHaveLength(5);
    expect(answer.found[0]).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(answer.found[1]).toBe('x'.repeat(255));
  });
});

describe('the CNAME record', () => {
  const ours = ['192.0.2.10', '192.0.2.11'];
  const ours6 = ['2001:db8::10'];

  beforeEach(() => dns.set(acme.site.domain_name, { A: ours, AAAA: ours6 }));

  /** What a check says of the CNAME record when the domain has these, with the TXT record right. */
  async function cnameWith(zone: Parameters<DnsServer['set']>[1], before: () => void = () => {}) {
    const host = freshHost('cname');
    await setDomain(product, acme, host);
    setProof(product, dns, acme, host);
    dns.set(host, zone);
    before();
    const domain = await checkNow();
    const { status, found } = recordOf(domain, 'CNAME');
    return { status, found, isVerified: domain.status === 'verified', addresses: domain.addresses };
  }

  it('to the site is found, whatever its case', async () => {
    const answer = await cnameWith({ CNAME: acme.site.domain_name.toUpperCase() });
    expect(answer).toMatchObject({ status: 'found', isVerified: true });
  });

  it('through a chain is found', async () => {
    dns.set('one.agency.example', { CNAME: 'two.agency.example' });
    dns.set('two.agency.example', { CNAME: acme.site.domain_name });
    expect(await cnameWith({ CNAME: 'one.agency.example' })).toMatchObject({
      status: 'found',
      found: ['one.agency.example', 'two.agency.example', acme.site.domain_name],
      isVerified: true,
    });
  });

  it('to somewhere else is wrong, and its target is shown', async () => {
    dns.set('shop.example', { A: ['198.51.100.1'] });
    expect(await cnameWith({ CNAME: 'shop.example' })).toMatchObject({
      status: 'wrong',
      found: ['shop.example'],
      isVerified: false,
    });
    expect(await cnameWith({ CNAME: 'nowhere.example' })).toMatchObject({ status: 'wrong' });
    expect(await cnameWith({ CNAME: bolt.site.domain_name })).toMatchObject({ status: 'wrong' });
  });

  it('that runs in a circle is wrong, and the lookup ends', async () => {
    dns.set('around.example', { CNAME: 'about.example' });
    dns.set('about.example', { CNAME: 'around.example' });
    const before = dns.questions.length;
    const answer = await cnameWith({ CNAME: 'around.example' });
    expect(answer).toMatchObject({ status: 'wrong', found: ['around.example'], isVerified: false });
    expect(dns.questions.length - before).toBeLessThan(10);
  });

  it('is not needed where all addresses are those of the site, as for a root domain', async () => {
    const answer = await cnameWith({ A: ours, AAAA: ours6 });
    expect(answer).toMatchObject({ status: 'found', isVerified: true, found: [...ours, ...ours6] });
    expect(answer.addresses).toEqual([...ours, ...ours6]);
    expect(await cnameWith({ A: ours.slice(0, 1) })).toMatchObject({ isVerified: true });
  });

  it('of a root domain with any other address is wrong, and the address is shown', async () => {
    expect(await cnameWith({ A: [...ours, '198.51.100.1'] })).toMatchObject({
      status: 'wrong',
      found: [...ours, '198.51.100.1'],
      isVerified: false,
    });
    expect(await cnameWith({ A: ours, AAAA: ['2001:db8::bad'] })).toMatchObject({ status: 'wrong' });
  });

  it('is missing when its name does not exist or has no address', async () => {
    expect(await cnameWith(null)).toMatchObject({ status: 'missing', isVerified: false });
    expect(await cnameWith({ TXT: ['x'] })).toMatchObject({ status: 'missing', isVerified: false });
  });

  it('is unknown while the addresses of the site cannot be resolved', async () => {
    const answer = await cnameWith({ A: ours }, () => dns.broken.add(acme.site.domain_name));
    expect(answer).toMatchObject({ status: 'unknown', isVerified: false });
  });
});

describe('a DNS server that does not answer', () => {
  it.each(['SERVFAIL', 'REFUSED', 'silent'] as const)(
    '(%s) is reported, proves nothing, and never takes a verified domain away',
    async (mood) => {
      const host = freshHost('away');
      // As the product asks, but giving up sooner.
      const away = mood === 'silent' ? createDns([dns.address], 100) : patient;
      dns.mood = mood;
      Object.assign(product.services.dns, away);
      await setDomain(product, acme, host);
      setRecords(product, dns, acme, host);
      expect(statusesOf(await checkNow())).toEqual({ CNAME: 'unknown', TXT: 'unknown' });
      expect(await pageAt(host)).toBe(404);

      dns.mood = 'answering';
      Object.assign(product.services.dns, patient);
      expect((await checkNow()).status).toBe('verified');
      dns.mood = mood;
      Object.assign(product.services.dns, away);
      for (const days of [1, 8, 30]) await lookAgainAfter({ days });
      const domain = await shownDomain();
      expect(domain).toMatchObject({ status: 'verified', notice: null });
      expect(statusesOf(domain)).toEqual({ CNAME: 'unknown', TXT: 'unknown' });
      expect(await pageAt(host)).toBe('Acme');
      expect(await mailsAbout(host)).toEqual([]);
    },
  );
});

describe('the check in the background', () => {
  it('verifies a domain whose records came later, and emails its owners once', async () => {
    const host = freshHost('later');
    await setDomain(product, acme, host);
    await recheckDomains();
    expect((await shownDomain()).status).toBe('pending');
    setRecords(product, dns, acme, host);
    await lookAgainAfter({ hours: 1 });
    await lookAgainAfter({ hours: 12 });
    expect((await shownDomain()).status).toBe('verified');
    expect(await pageAt(host)).toBe('Acme');
    expect(await mailsAbout(host)).toEqual([`${host} is ready`]);
  });

  it('queries no more often than necessary', async () => {
    const host = freshHost('calm');
    await verifyDomain(product, dns, acme, host);
    await recheckDomains();
    const before = dns.questions.length;
    await recheckDomains();
    await lookAgainAfter({ hours: 5 });
    expect(dns.questions.slice(before).filter((one) => one.endsWith(host))).toEqual([]);
    await lookAgainAfter({ hours: 2 });
    expect(dns.questions.slice(before).filter((one) => one === `TXT _sayso.${host}`)).toHaveLength(1);
  });

  it('runs once when two workers check at the same time', async () => {
    const host = freshHost('two');
    await setDomain(product, acme, host);
    const before = dns.questions.length;
    await Promise.all([recheckDomains(), recheckDomains(), recheckDomains()]);
    expect(dns.questions.slice(before).filter((one) => one === `TXT _sayso.${host}`)).toHaveLength(1);
  });

  it('warns after a day without the TXT record, and takes the domain away after seven', async () => {
    const host = freshHost('gone');
    await verifyDomain(product, dns, acme, host);
    dns.set(`_sayso.${host}`, null);
    await lookAgainAfter({ hours: 7 });
    expect(await shownDomain()).toMatchObject({ status: 'verified', notice: { kind: 'losing' } });
    expect(await mailsAbout(host)).toEqual([]);
    await lookAgainAfter({ days: 1 });
    await lookAgainAfter({ days: 1 });
    expect(await mailsAbout(host)).toEqual([`${host}: a DNS record is missing`]);
    await lookAgainAfter({ days: 4 });
    expect(await pageAt(host)).toBe('Acme');

    await lookAgainAfter({ days: 2 });
    expect(await shownDomain()).toMatchObject({
      status: 'pending',
      notice: { kind: 'lapsed' },
      verified_at: null,
    });
    expect(await pageAt(host)).toBe(404);
    expect(await siteOf(acme)).toMatchObject({ custom_domain: host, url: acme.site.url });
    expect(await mailsAbout(host)).toEqual([`${host}: a DNS record is missing`, `${host} is no longer used`]);

    setProof(product, dns, acme, host);
    await lookAgainAfter({ hours: 7 });
    expect(await shownDomain()).toMatchObject({ status: 'verified', notice: null });
    expect(await pageAt(host)).toBe('Acme');
  });

  it('starts counting again when the TXT record came back in between', async () => {
    const host = freshHost('back');
    await verifyDomain(product, dns, acme, host);
    dns.set(`_sayso.${host}`, { TXT: ['something else'] });
    await lookAgainAfter({ hours: 7 });
    await lookAgainAfter({ days: 6 });
    setProof(product, dns, acme, host);
    await lookAgainAfter({ hours: 7 });
    expect((await shownDomain()).notice).toBeNull();
    dns.set(`_sayso.${host}`, null);
    await lookAgainAfter({ days: 2 });
    await lookAgainAfter({ days: 2 });
    expect(await pageAt(host)).toBe('Acme');
  });

  it('keeps serving a domain whose CNAME is gone, and reports it', async () => {
    const host = freshHost('proxied');
    await verifyDomain(product, dns, acme, host);
    dns.set(host, { A: ['198.51.100.7'] });
    for (const days of [1, 8, 8]) await lookAgainAfter({ days });
    const domain = await shownDomain();
    expect(domain.status).toBe('verified');
    expect(recordOf(domain, 'CNAME')).toMatchObject({ status: 'wrong', found: ['198.51.100.7'] });
  });

  it('still accepts the proof made with a key that is no longer there', async () => {
    const host = freshHost('oldkey');
    await verifyDomain(product, dns, acme, host);
    const old = domainProof(createKeyring(['old'.repeat(20)]), acme.site.id, host);
    await product.testDatabase.owner.query('update site_domains set proof = $1 where host = $2', [old, host]);
    dns.set(`_sayso.${host}`, { TXT: [old] });
    for (const days of [1, 8]) await lookAgainAfter({ days });
    expect(await shownDomain()).toMatchObject({ status: 'verified', notice: null });
    expect(recordOf(await shownDomain(), 'TXT').value).toBe(old);
  });
});

describe('two sites that claim the same domain', () => {
  it('do not block each other: the one that proves it gets it', async () => {
    const host = freshHost('wished');
    await setDomain(product, acme, host);
    await setDomain(product, bolt, host);
    setRecords(product, dns, bolt, host);
    expect(statusesOf(await checkNow(acme))).toEqual({ CNAME: 'wrong', TXT: 'wrong' });
    expect(await checkNow(bolt)).toMatchObject({ status: 'verified' });
    expect(await pageAt(host)).toBe('Acme');
    expect((await siteOf(bolt))?.url).toContain(host);
    expect((await siteOf(acme))?.url).not.toContain(host);
  });

  it('and both prove it: exactly one gets it, and the other is told that it is in use', async () => {
    const host = freshHost('both');
    const proofOf = (world: World) => domainProof(product.services.keyring, world.site.id, host);
    // Addresses, because a CNAME can lead to one of them only.
    for (const name of [acme.site.domain_name, bolt.site.domain_name, host])
      dns.set(name, { A: ['192.0.2.9'] });
    dns.set(`_sayso.${host}`, { TXT: [proofOf(acme), proofOf(bolt)] });
    await setDomain(product, acme, host);
    await setDomain(product, bolt, host);
    const answers = await Promise.all([checkNow(acme), checkNow(bolt)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual(['pending', 'verified']);
    const loser = answers.find(({ status }) => status === 'pending');
    expect(loser?.notice).toEqual({ kind: 'in_use', until: null });
  });

  it('change hands at once when one lost it and the other proves it', async () => {
    const host = freshHost('sold');
    await verifyDomain(product, dns, acme, host);
    await setDomain(product, bolt, host);
    setRecords(product, dns, bolt, host);
    expect(await checkNow(bolt)).toMatchObject({ status: 'pending', notice: { kind: 'in_use' } });
    await lookAgainAfter({ hours: 7 });
    await lookAgainAfter({ days: 8 });
    await lookAgainAfter({ hours: 7 });
    expect((await shownDomain(bolt)).status).toBe('verified');
    expect((await shownDomain(acme)).status).toBe('pending');
  });

  it('in one organization get a 409 for the second claim at once', async () => {
    const host = freshHost('sister');
    await verifyDomain(product, dns, acme, host);
    const sister = await buildSite(product, acme.owner, acme.params.organization_id);
    await expect(setDomain(product, sister, host)).rejects.toMatchObject({
      status: 409,
      errors: [{ code: 'domain_taken', field: 'custom_domain' }],
    });
  });
});

describe('a domain name that was given up', () => {
  async function siteNamed(world: World, label: string): Promise<number> {
    const body = { domain_name: label, name: 'A site' };
    const params = { organization_id: world.params.organization_id };
    return product.call(createSite, { params, body }, world.owner).then(
      () => 201,
      (error: { status: number }) => error.status,
    );
  }

  async function checker(world: World, label: string): Promise<string | undefined> {
    const [answer] = await product.call(check, { query: { site_domain: label } }, world.owner);
    return answer?.message;
  }

  const TAKEN = 'This domain is already taken';
  const FREE = 'This domain is available';

  /** There is no call to delete a site; this is what deleting one does to the database. */
  async function siteThatIsDeleted(world: World): Promise<string> {
    const spare = await buildSite(product, world.owner, world.params.organization_id);
    await product.testDatabase.owner.query('delete from sites where id = $1', [spare.site.id]);
    return spare.site.domain_name.replace('.localhost', '');
  }

  it('with its site is reserved against other organizations for 30 days', async () => {
    const label = await siteThatIsDeleted(acme);
    expect(await checker(bolt, label)).toBe(TAKEN);
    expect(await siteNamed(bolt, label)).toBe(409);
    await lookAgainAfter({ hours: 1 });
    await lookAgainAfter({ days: 29 });
    expect(await checker(bolt, label)).toBe(TAKEN);
    expect(await siteNamed(bolt, label)).toBe(409);
    await lookAgainAfter({ days: 1 });
    expect(await checker(bolt, label)).toBe(FREE);
    expect(await siteNamed(bolt, label)).toBe(201);
  });

  it('is free for its own organization at once, before and after the worker noticed', async () => {
    const [unnoticed, noticed] = [await siteThatIsDeleted(acme), await siteThatIsDeleted(acme)];
    expect(await checker(acme, unnoticed)).toBe(FREE);
    expect(await siteNamed(acme, unnoticed)).toBe(201);
    await lookAgainAfter({ hours: 1 });
    expect(await checker(acme, noticed)).toBe(FREE);
    expect(await siteNamed(acme, noticed)).toBe(201);
    await lookAgainAfter({ days: 40 });
    expect(await siteNamed(bolt, noticed)).toBe(409);
    expect(await checker(bolt, noticed)).toBe(TAKEN);
  });

  it('after it was verified is reserved against other organizations for 30 days, whether or not another domain replaced it', async () => {
    const host = freshHost('given-up');
    await verifyDomain(product, dns, acme, host);
    await setDomain(product, acme, freshHost('next'));
    expect(await pageAt(host)).toBe(404);
    await setDomain(product, bolt, host);
    setRecords(product, dns, bolt, host);
    const held = await checkNow(bolt);
    expect(held).toMatchObject({ status: 'pending', notice: { kind: 'held' } });
    const days = (Date.parse(held.notice?.until ?? '') - product.clock.now().getTime()) / 86_400_000;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThanOrEqual(30);
    await lookAgainAfter({ days: 29 });
    expect(await shownDomain(bolt)).toMatchObject({ status: 'pending', notice: { kind: 'held' } });
    await lookAgainAfter({ days: 2 });
    expect(await shownDomain(bolt)).toMatchObject({ status: 'verified', notice: null });
  });

  it('after it was verified can be taken back at once, also by a sister site', async () => {
    const host = freshHost('again');
    await verifyDomain(product, dns, acme, host);
    await setDomain(product, acme, null);
    expect((await verifyDomain(product, dns, acme, host)).status).toBe('verified');
    await setDomain(product, acme, null);
    const sister = await buildSite(product, acme.owner, acme.params.organization_id);
    expect((await verifyDomain(product, dns, sister, host)).status).toBe('verified');
  });

  it('without ever being verified blocks nobody', async () => {
    const host = freshHost('wish');
    await setDomain(product, acme, host);
    await setDomain(product, acme, null);
    expect((await verifyDomain(product, dns, bolt, host)).status).toBe('verified');
  });
});

describe('a host that is not verified', () => {
  let host: string;
  beforeEach(async () => {
    host = freshHost('unproven');
    await setDomain(product, acme, host);
  });

  it.each(['/preferences', '/', '/u/abc', '/anything/else'])('shows the neutral page at %s', async (path) => {
    const [pending, unknown] = [await browserAt(host, path), await browserAt('nobody.example', path)];
    expect(pending).toEqual(unknown);
    if (path === '/') expect(pending.status).toBe(302);
    else expect(pending.status).toBe(404);
    expect(pending.body).not.toContain(acme.site.domain_name);
  });

  it('is not accepted in x-site-domain: 404', async () => {
    const path = '/api/customer/v1/preferences/preferences';
    const answer = await rawRequest(product, 'GET', path, { headers: { 'x-site-domain': host } });
    expect(answer).toMatchObject({ status: 404, codes: ['not_found'] });
    const body = { email: 'nora@example.com', custom_path: 'preferences' };
    const opened = await rawRequest(product, 'POST', '/api/customer/v1/customers', {
      headers: { 'x-site-domain': host },
      body,
    });
    expect(opened.status).toBe(404);
  });
});

describe('whether to fetch a certificate', () => {
  async function ask(domain: string): Promise<number> {
    return product.call(askTls, { query: { domain } }).then(
      () => 200,
      (error: { status: number }) => error.status,
    );
  }

  it('is answered with yes for the app, for sites and for verified domains, and with no for the rest', async () => {
    const host = freshHost('tls');
    expect(await ask(host)).toBe(404);
    await setDomain(product, acme, host);
    expect(await ask(host)).toBe(404);
    setRecords(product, dns, acme, host);
    await checkNow();
    expect(await ask(host)).toBe(200);
    expect(await ask(`${host.toUpperCase()}.`)).toBe(200);
    expect(await ask('localhost')).toBe(200);
    expect(await ask((await buildWorld(product, 'new')).site.domain_name)).toBe(200);
    await setDomain(product, acme, null);
    expect(await ask(host)).toBe(404);
    for (const other of [
      'nobody.localhost',
      '127.0.0.1',
      '',
      'a b',
      `sub.${acme.site.domain_name}`,
      'é.example',
    ]) {
      expect({ other, status: await ask(other) }).toEqual({ other, status: 404 });
    }
  });

  it('is given to ten new sites of an account a day, whichever of its organizations they are in', async () => {
    const first = await buildWorld(product, 'many');
    const organization = await product.call(
      createOrganization,
      { body: { name: `more-${first.site.domain_name}`.slice(0, 60) } },
      first.owner,
    );
    const hosts = [first.site.domain_name];
    for (let count = 0; count < 14; count += 1) {
      const organizationId = count % 2 === 0 ? organization.id : first.params.organization_id;
      product.clock.advance({ seconds: 1 });
      hosts.push((await buildSite(product, first.owner, organizationId)).site.domain_name);
    }
    const given = async () => {
      const statuses = await Promise.all(hosts.map(ask));
      return statuses.filter((status) => status === 200).length;
    };
    expect(await given()).toBe(10);
    const { site } = await buildWorld(product, 'other');
    expect(await ask(site.domain_name)).toBe(200);
    await lookAgainAfter({ days: 1 });
    expect(await given()).toBe(15);
  });

  it('is all that the answer says, the same for pending, held and unknown hosts', async () => {
    const { site } = await buildWorld(product, 'new');
    const known = await rawRequest(product, 'GET', `/api/tls/ask?domain=${site.domain_name}`);
    expect(known.text).toBe('{}');
    await setDomain(product, acme, 'pending.example');
    const [pending, unknown] = await Promise.all(
      ['pending.example', 'unknown.example'].map((domain) =>
        rawRequest(product, 'GET', `/api/tls/ask?domain=${domain}`),
      ),
    );
    expect(pending?.text).toBe(unknown?.text);
    expect((await rawRequest(product, 'GET', '/api/tls/ask')).status).toBe(422);
  });
});

describe('another process', () => {
  it('serves a domain as soon as it is verified, and stops when it is given up', async () => {
    const config = { ...product.services.config, port: await freePort() };
    const other = await createProduct(config, product.testDatabase.appUrl, {
      log: createLog('silent'),
      clock: product.clock,
      worker: false,
    });
    try {
      const host = freshHost('processes');
      const statusThere = async () =>
        (await other.http.inject({ method: 'GET', url: '/preferences', headers: { host } })).statusCode;
      expect(await statusThere()).toBe(404);
      await verifyDomain(product, dns, acme, host);
      await expect.poll(statusThere).toBe(200);
      await setDomain(product, acme, null);
      await expect.poll(statusThere).toBe(404);
      await verifyDomain(product, dns, acme, host);
      await expect.poll(statusThere).toBe(200);
      dns.set(`_sayso.${host}`, null);
      await lookAgainAfter({ hours: 7 });
      await lookAgainAfter({ days: 8 });
      await expect.poll(statusThere).toBe(404);
    } finally {
      await other.stop();
    }
  });
});
