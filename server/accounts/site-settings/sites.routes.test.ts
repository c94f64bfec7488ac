import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAction } from '#contract/actions.ts';
import { listAuditLog } from '#contract/audit-log.ts';
import { inviteMember } from '#contract/members.ts';
import { getPreferencePage, replacePreferencePage } from '#contract/preference-pages.ts';
import { getPublicPage } from '#contract/public-preferences.ts';
import { createSite, listSites, listSitesV1_1, sendTestEmail, updateSite } from '#contract/sites.ts';
import { rawRequest } from '#test/harness/http.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildWorld, type World } from '#test/harness/world.ts';

const LONGEST = 'm'.repeat(63);

let product: TestProduct;
let acme: World;
let bolt: World;

beforeAll(async () => {
  product = await startTestProduct();
  acme = await buildWorld(product, 'acme');
  bolt = await buildWorld(product, 'bolt');
});

afterAll(() => product.stop());

function create(domainName: string, world = acme) {
  const { organization_id } = world.params;
  return product.call(
    createSite,
    { params: { organization_id }, body: { domain_name: domainName, name: 'A site' } },
    world.owner,
  );
}

function refusedCreate(domainName: string) {
  const { organization_id } = acme.params;
  return product.refuse(
    createSite,
    { params: { organization_id }, body: { domain_name: domainName, name: 'A site' } },
    acme.owner,
  );
}

function setDomain(world: World, customDomain: string | null) {
  return product.call(
    updateSite,
    { params: world.params, body: { custom_domain: customDomain } },
    world.owner,
  );
}

function refusedDomain(world: World, customDomain: string) {
  return product.refuse(
    updateSite,
    { params: world.params, body: { custom_domain: customDomain } },
    world.owner,
  );
}

async function pageNameAt(host: string): Promise<string | number> {
  const path = { params: { custom_path: 'preferences' } };
  const answer = await product
    .call(getPublicPage, path, { host })
    .catch((error: { status: number }) => error);
  return 'name' in answer && 'lists' in answer ? answer.name : answer.status;
}

describe('a site', () => {
  it.each([
    ['x', 'x.localhost'],
    ['with-suffix.localhost', 'with-suffix.localhost'],
    ['UPPER', 'upper.localhost'],
    [LONGEST, `${LONGEST}.localhost`],
  ])('is created from %j: 201', async (requested, host) => {
    const site = await create(requested);
    const port = new URL(product.url).port;
    expect(site).toEqual({
      id: site.id,
      name: 'A site',
      domain_name: host,
      custom_domain: null,
      custom_domain_status: null,
      url: `http://${host}:${port}`,
      link_lifetime_days: 180,
      delivery_content_days: 30,
      sender_name: '',
      reply_to: '',
      operator: { legal_name: '', postal_address: '', privacy_url: '', imprint_url: '' },
      test_mode: false,
      test_emails: [],
      evidence_anchor: '',
      taken_down: null,
    });
  });

  it('is found at once under a host that was requested before the site existed', async () => {
    expect(await pageNameAt('early.localhost')).toBe(404);
    const { id } = await create('early');
    const { rows } = await product.testDatabase.owner.query(
      'select site_id from host_names where host = $1',
      ['early.localhost'],
    );
    expect(rows).toEqual([{ site_id: id }]);
    const answer = await product.refuse(
      getPublicPage,
      { params: { custom_path: 'preferences' } },
      { host: 'early.localhost' },
    );
    expect(answer.message).toBe("This page doesn't exist, or you don't have access to it.");
  });

  it.each(['-x', 'x-', 'a.b', 'ümlaut', `${LONGEST}m`, 'a_b', 'x.localhost.localhost'])(
    'from %j answers 422 with the sentence of the spec',
    async (requested) => {
      expect(await refusedCreate(requested)).toMatchObject({
        status: 422,
        message: `'${requested}' is an invalid domain. The domain should only contain letters, numbers, and may contain dashes between words`,
        errors: [{ code: 'invalid_field', field: 'domain_name' }],
      });
    },
  );

  it('with a reserved name answers 422', async () => {
    expect(await refusedCreate('www')).toMatchObject({
      status: 422,
      errors: [{ code: 'reserved_name', field: 'domain_name' }],
    });
  });

  it('with a taken name answers 409', async () => {
    expect(await refusedCreate(bolt.site.domain_name.toUpperCase())).toMatchObject({
      status: 409,
      message: 'This domain is already taken',
      errors: [{ code: 'domain_taken', field: 'domain_name' }],
    });
  });

  it('is created exactly once by several parallel requests, which leave nothing else behind', async () => {
    const path = `/api/core/v1/organizations/${acme.params.organization_id}/sites`;
    const body = { domain_name: 'race', name: 'Race' };
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => rawRequest(product, 'POST', path, { as: acme.owner, body })),
    );
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([201, 409, 409, 409, 409, 409]);
    const { rows } = await product.testDatabase.owner.query(`select id from sites where name = 'Race'`);
    expect(rows).toHaveLength(1);
  });

  it('is listed alike by v1 and v1.1 (spec 108)', async () => {
    const params = { organization_id: bolt.params.organization_id };
    const [v1, v1_1] = await Promise.all([
      product.call(listSites, { params }, bolt.owner),
      product.call(listSitesV1_1, { params }, bolt.owner),
    ]);
    expect(v1).toEqual({ results: [bolt.site], next: null });
    expect(v1_1).toEqual(v1);
  });

  it('can be renamed, and rejects unknown fields', async () => {
    const renamed = await product.call(
      updateSite,
      { params: bolt.params, body: { name: 'Bolt & Co' } },
      bolt.owner,
    );
    expect(renamed).toEqual({ ...bolt.site, name: 'Bolt & Co' });
    const path = `/api/core/v1.1/organizations/${bolt.params.organization_id}/sites/${bolt.params.site_id}`;
    const answer = await rawRequest(product, 'PATCH', path, {
      as: bolt.owner,
      body: { domain_name: 'other' },
    });
    expect(answer).toMatchObject({ status: 422, codes: ['unknown_field'], fields: ['domain_name'] });
  });

  it('stores the content of deliveries for 1 to 365 days, and logs a change once', async () => {
    const set = (days: number) => ({ params: bolt.params, body: { delivery_content_days: days } });
    for (const days of [0, 366, 1.5]) {
      expect(await product.refuse(updateSite, set(days), bolt.owner)).toMatchObject({
        status: 422,
        message: expect.stringContaining('delivery_content_days'),
        errors: [{ field: 'delivery_content_days' }],
      });
    }
    for (const days of [1, 365, 7, 7]) {
      expect((await product.call(updateSite, set(days), bolt.owner)).delivery_content_days).toBe(days);
    }
    const { results } = await product.call(listAuditLog, { params: bolt.params, query: {} }, bolt.owner);
    const changes = results.filter(({ event }) => event === 'site.delivery_content_days_changed');
    expect(changes.map(({ count }) => count)).toEqual([7, 365, 1]);
  });
});

describe("a site's own domain", () => {
  it('is pending when it is set, moved or cleared: neither served nor used in links', async () => {
    const set = await setDomain(acme, 'Mail.Acme.example');
    expect(set).toMatchObject({ custom_domain: 'mail.acme.example', custom_domain_status: 'pending' });
    expect(set.url).toBe(acme.site.url);
    expect(await pageNameAt('mail.acme.example')).toBe(404);
    expect(await pageNameAt(acme.site.domain_name)).toBe('Acme');

    const moved = await setDomain(acme, 'news.acme.example');
    expect(moved).toMatchObject({ custom_domain: 'news.acme.example', custom_domain_status: 'pending' });
    const cleared = await setDomain(acme, null);
    expect(cleared).toEqual({ ...acme.site, custom_domain: null, custom_domain_status: null });
  });

  it('may be set again to its current value', async () => {
    await setDomain(acme, 'same.acme.example');
    expect((await setDomain(acme, 'same.acme.example')).custom_domain).toBe('same.acme.example');
  });

  it('may be claimed by several sites at once', async () => {
    await setDomain(bolt, 'both.example');
    expect((await setDomain(acme, 'BOTH.example')).custom_domain).toBe('both.example');
  });

  it('under our own suffix, or our own host, answers 422', async () => {
    for (const requested of ['mine.localhost', bolt.site.domain_name, 'localhost.localhost']) {
      expect(await refusedDomain(acme, requested)).toMatchObject({
        status: 422,
        errors: [{ code: 'reserved_name', field: 'custom_domain' }],
      });
    }
  });

  it.each(['acme', 'http://acme.com', 'acme.com:8080', '127.0.0.1', 'a b.com', 'bücher.example'])(
    '%j answers 422',
    async (requested) => {
      expect(await refusedDomain(acme, requested)).toMatchObject({
        status: 422,
        errors: [{ code: 'invalid_field', field: 'custom_domain' }],
      });
    },
  );
});

describe('a host that belongs to no site', () => {
  it.each(['unknown.example', 'UNKNOWN.localhost:3000', 'a b', "x';--", '.', 'x'.repeat(250)])(
    '%j answers 404',
    async (host) => {
      expect(await pageNameAt(host)).toBe(404);
    },
  );
});

describe('without a mail server', () => {
  it('a page whose rules need email is saved, and the answer says that no email is sent', async () => {
    const { params, owner } = acme;
    const page = async (attrs: { confirm_changes: boolean; enhanced_security: boolean }) => {
      const path = { ...params, id: acme.page.id };
      const read = await product.call(getPreferencePage, { params: path }, owner);
      // As it was read, warnings included.
      const body = { ...read, attrs: { ...read.attrs, ...attrs } };
      return (await product.call(replacePreferencePage, { params: path, body }, owner)).warnings;
    };
    const warnings = await page({ confirm_changes: true, enhanced_security: true });
    expect(warnings.map(({ code, field }) => [code, field])).toEqual([
      ['email_not_configured', 'attrs.enhanced_security'],
      ['email_not_configured', 'attrs.confirm_changes'],
    ]);
    for (const { message } of warnings) expect(message).toContain('SMTP_URL');
    expect(await page({ confirm_changes: false, enhanced_security: false })).toEqual([]);

    const evidence = { type: 'evidence', name: 'Records', trigger: { event: 'unsubscribed' } } as const;
    const action = (target: { email: string } | { url: string }) =>
      product.call(createAction, { params, body: { ...evidence, target } }, owner);
    expect((await action({ email: 'records@acme.example' })).warnings).toMatchObject([
      { field: 'target.email' },
    ]);
    expect((await action({ url: 'https://acme.example/records' })).warnings).toEqual([]);

    const body = { email: 'ada@acme.example', role: 'editor' } as const;
    const invitation = await product.call(inviteMember, { params, body }, owner);
    expect(invitation.warnings).toMatchObject([{ field: 'email' }]);
  });

  it('a test email is stored, and the answer says so', async () => {
    expect(await product.call(sendTestEmail, { params: acme.params }, acme.owner)).toMatchObject({
      outcome: 'kept',
      reply: null,
      message: expect.stringContaining('SMTP_URL'),
    });
  });
});
