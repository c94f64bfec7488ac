import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deleteCustomer, endLinks, getCustomer, mintLinks } from '#contract/customers.ts';
import {
  checkEmail,
  type EmailCheck,
  EMAIL_FINDINGS,
  type EmailFindingCode,
  MAX_EMAIL_BYTES,
} from '#contract/email-checks.ts';
import type { ErrorBody } from '#contract/errors.ts';
import { createList, deleteList } from '#contract/lists.ts';
import { makeChallenge } from '#server/audience/customers/challenge.ts';
import { type DnsServer, startDnsServer } from '#test/fakes/dns-server.ts';
import { type DkimKey, dkimKey, signEmail } from '#test/harness/dkim-signer.ts';
import { setDomain } from '#test/harness/domains.ts';
import { eachOf } from '#test/harness/each-of.ts';
import {
  type Email,
  type Headers,
  hostileEmails,
  SELECTOR,
  SHOP,
  shopEmail,
  SIGNED,
} from '#test/harness/shop-emails.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { readRows } from '#test/harness/rows.ts';
import { buildCustomer, buildSite, buildWorld, type World } from '#test/harness/world.ts';

/** The site's own domain, whose DNS records nobody has set. */
const UNVERIFIED = `mail.${SHOP}`;

let dns: DnsServer;
let product: TestProduct;
let world: World;
let other: World;
let key: DkimKey;
let shortKey: DkimKey;
/** Of the customer whom the good email is for. */
let links: { preference_url: string; one_click_url: string };
let noraId: string;
let strangersLinks: typeof links;
let otherSitesLinks: typeof links;

beforeAll(async () => {
  dns = await startDnsServer();
  product = await startTestProduct({ env: { DNS_SERVERS: dns.address } });
  world = await buildWorld(product);
  other = await buildSite(product, world.owner, world.params.organization_id);
  key = dkimKey();
  shortKey = dkimKey(768);
  dns.set(`${SELECTOR}._domainkey.${SHOP}`, { TXT: [key.record] });
  dns.set(`short._domainkey.${SHOP}`, { TXT: [shortKey.record] });
  dns.set(`_dmarc.${SHOP}`, { TXT: ['v=DMARC1; p=none'] });
  const mint = async (site: World, email: string) => {
    const { id } = await buildCustomer(product, site, email);
    const minted = await product.call(mintLinks, { params: { ...site.params, id }, body: {} }, site.owner);
    return { ...minted, id };
  };
  const ofNora = await mint(world, `nora@${SHOP}`);
  noraId = ofNora.id;
  links = https(ofNora);
  strangersLinks = https(await mint(world, `sam@${SHOP}`));
  otherSitesLinks = https(await mint(other, `nora@${SHOP}`));
  await setDomain(product, world, UNVERIFIED);
});

beforeEach(forgetLimits);

afterAll(async () => {
  await product.stop();
  await dns.close();
});

async function forgetLimits(): Promise<void> {
  await product.testDatabase.owner.query('delete from rate_limits');
}

/** A site may check 20 emails a minute. */
function eachEmail<T>(emails: readonly T[], look: (one: T) => Promise<void>, nameOf: (one: T) => string) {
  return eachOf(
    emails,
    async (one) => {
      await forgetLimits();
      await look(one);
    },
    nameOf,
  );
}

/** Tests serve over http, where an installation serves over https. */
function https<T extends typeof links>(minted: T): T {
  const secure = (url: string) => url.replace(/^http:/, 'https:');
  return {
    ...minted,
    preference_url: secure(minted.preference_url),
    one_click_url: secure(minted.one_click_url),
  };
}

/** The same link on another host. */
function onHost(link: string, host: string): string {
  const url = new URL(link);
  url.host = host;
  url.port = '';
  return url.href;
}

/** What a mail program sends when its reader presses the button. */
async function postOneClick(link: string): Promise<number> {
  const { host, pathname } = new URL(link);
  const response = await product.http.inject({
    method: 'POST',
    url: pathname,
    headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'List-Unsubscribe=One-Click',
  });
  return response.statusCode;
}

async function allRows() {
  // Of the check's own limit.
  const { 'public.rate_limits': _, ...others } = await readRows(product.testDatabase.owner);
  return others;
}

async function check(raw: string | Uint8Array<ArrayBuffer>, who = world): Promise<EmailCheck> {
  const file = new Blob([raw], { type: 'message/rfc822' });
  return product.call(checkEmail, { params: who.params, file }, who.owner);
}

const footer = () => `<p>Hello Nora</p><p><a href="${links.preference_url}">Unsubscribe</a></p>`;

const build = (email: Email = {}) =>
  shopEmail(email, { key, oneClickUrl: links.one_click_url, html: footer() });

const bad = ({ findings }: EmailCheck) =>
  findings.filter(({ status }) => status === 'fault' || status === 'warning').map(({ code }) => code);

const codes = ({ findings }: EmailCheck) => findings.map(({ code }) => code);

describe('a good email', () => {
  it('has no problem, and says whom its links are for', async () => {
    const answer = await check(build());
    expect(answer.status).toBe('ok');
    expect(new Set(codes(answer))).toEqual(
      new Set([
        ...['unsubscribe_ok', 'post_ok', 'dkim_ok', 'signed_ok', 'aligned_dkim', 'link_works'],
        ...['body_ok', 'merge_ok', 'list_id_ok', 'size_ok'],
      ]),
    );
    expect(answer.email).toMatchObject({ subject: 'News', from: `news@${SHOP}`, to: `nora@${SHOP}` });
    const works = answer.findings.find(({ code }) => code === 'link_works');
    expect(works?.values).toEqual({ email: `nora@${SHOP}` });
  });

  it('passes with other line endings, after blank lines, and out of a mailbox file', async () => {
    const raw = build();
    expect((await check(raw.replaceAll('\r\n', '\n'))).status).toBe('ok');
    expect((await check(`\n \n${raw}`)).status).toBe('ok');
    expect((await check(`From news@shop.example Wed Nov 25 22:00:00 2026\n${raw}`)).status).toBe('ok');
    expect((await check(`\uFEFF${raw}`)).status).toBe('ok');
  });

  it('may fold and encode its headers', async () => {
    const [start, end] = [links.one_click_url.slice(0, 40), links.one_click_url.slice(40)];
    const encoded = (text: string) => `=?us-ascii?Q?${text.replaceAll('=', '=3D').replaceAll('_', '=5F')}?=`;
    const folded = `\r\n <mailto:leave@${SHOP}?subject=leave>,\r\n <${links.one_click_url}>`;
    for (const value of [folded, `${encoded(`<${start}`)}\r\n ${encoded(`${end}>`)}`]) {
      const answer = await check(build({ headers: { 'List-Unsubscribe': value } }));
      expect(bad(answer)).toEqual([]);
      expect(codes(answer)).toContain('link_works');
    }
  });

  it('is unchanged by the check, which opens nothing and stores nothing', async () => {
    const before = await allRows();
    dns.questions.length = 0;
    await check(build());
    expect(await allRows()).toEqual(before);
    expect(dns.questions.filter((question) => !question.startsWith('TXT '))).toEqual([]);
  });
});

const header = (link: string): Email => ({ headers: { 'List-Unsubscribe': `<${link}>` } });

describe('the one-click request of an email app', () => {
  const isAway = async (id: string) => {
    const params = { ...world.params, id };
    return (await product.call(getCustomer, { params }, world.owner)).global_unsubscribe;
  };

  it('is rehearsed by the real handler, and unsubscribes no one while others really unsubscribe', async () => {
    const leaving = await Promise.all(
      [...Array(6).keys()].map(async (at) => {
        const { id } = await buildCustomer(product, world, `leaving-${at}@${SHOP}`);
        const minted = await product.call(
          mintLinks,
          { params: { ...world.params, id }, body: {} },
          world.owner,
        );
        return { id, link: minted.one_click_url };
      }),
    );
    const [answers, posted] = await Promise.all([
      Promise.all([...Array(6).keys()].map(() => check(build()))),
      Promise.all(leaving.map(({ link }) => postOneClick(link))),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill('ok'));
    expect(posted).toEqual(Array(6).fill(200));
    expect(await Promise.all(leaving.map(({ id }) => isAway(id)))).toEqual(Array(6).fill(true));
    expect(await isAway(noraId)).toBe(false);
  });

  it('works without a trace for someone already unsubscribed, with an expired link, and with a years-old one', async () => {
    const { id } = await buildCustomer(product, world, `away@${SHOP}`);
    const params = { ...world.params, id };
    const { one_click_url } = https(await product.call(mintLinks, { params, body: {} }, world.owner));
    const leave = { purpose: 'leave', siteId: world.site.id, customerId: id, listId: null } as const;
    const old = makeChallenge(product.services.keyring, { ...leave, issuedOn: 18_000, generation: 0 });
    await product.call(endLinks, { params }, world.owner);
    expect(await postOneClick(one_click_url)).toBe(200);
    const before = await allRows();
    for (const link of [one_click_url, `${new URL(one_click_url).origin}/u/${old}`]) {
      const { headers = {} } = header(link);
      const answer = await check(build({ headers: { ...headers, To: `away@${SHOP}` }, html: 'x' }));
      expect(codes(answer)).toContain('link_works');
    }
    expect(await allRows()).toEqual(before);
  });

  it('that our server fails to answer is a problem, with the status that the email app gets', async () => {
    const { owner } = product.testDatabase;
    const { rows } = await product.services.database.pool.query('select current_user as role');
    const { role } = rows[0] as { role: string };
    await owner.query(`revoke update on customers from "${role}"`);
    try {
      expect(await postOneClick(links.one_click_url)).toBe(503);
      const answer = await check(build());
      expect(bad(answer)).toEqual(['link_refused']);
      expect(answer.findings.find(({ code }) => code === 'link_refused')?.values).toEqual({ status: '503' });
    } finally {
      await owner.query(`grant update on customers to "${role}"`);
    }
    expect(bad(await check(build()))).toEqual([]);
  });
});

type Seeded = [name: string, code: EmailFindingCode, email: () => Email];

const FAULTS: Seeded[] = [
  [
    'no List-Unsubscribe',
    'unsubscribe_missing',
    () => ({ headers: { 'List-Unsubscribe': null, 'List-Unsubscribe-Post': null } }),
  ],
  [
    'http only',
    'unsubscribe_http_only',
    () => ({ headers: { 'List-Unsubscribe': '<http://shop.example/leave/8f3a>' } }),
  ],
  [
    'mailto only',
    'unsubscribe_mailto_only',
    () => ({ headers: { 'List-Unsubscribe': '<mailto:leave@shop.example>' } }),
  ],
  [
    'no angle brackets',
    'unsubscribe_malformed',
    () => ({ headers: { 'List-Unsubscribe': links.one_click_url } }),
  ],
  [
    'two https URLs',
    'unsubscribe_several',
    () => ({ headers: { 'List-Unsubscribe': `<${links.one_click_url}>, <https://shop.example/leave>` } }),
  ],
  [
    'List-Unsubscribe twice',
    'unsubscribe_duplicated',
    () => ({ headers: { 'List-Unsubscribe': [`<${links.one_click_url}>`, '<mailto:leave@shop.example>'] } }),
  ],
  ['no List-Unsubscribe-Post', 'post_missing', () => ({ headers: { 'List-Unsubscribe-Post': null } })],
  ['another value', 'post_wrong', () => ({ headers: { 'List-Unsubscribe-Post': 'One-Click' } })],
  [
    'the value in lower case',
    'post_wrong',
    () => ({ headers: { 'List-Unsubscribe-Post': 'list-unsubscribe=one-click' } }),
  ],
  [
    'List-Unsubscribe-Post twice',
    'post_duplicated',
    () => ({
      headers: { 'List-Unsubscribe-Post': ['List-Unsubscribe=One-Click', 'List-Unsubscribe=One-Click'] },
    }),
  ],
  ['List-Unsubscribe-Post alone', 'post_alone', () => ({ headers: { 'List-Unsubscribe': null } })],
  ['no DKIM', 'dkim_missing', () => ({ sign: null })],
  [
    'a body changed after signing',
    'dkim_body_changed',
    () => ({ after: (raw) => raw.replace('Hello Nora', 'Hello Norah') }),
  ],
  [
    'a subject changed after signing',
    'dkim_signature_wrong',
    () => ({ after: (raw) => raw.replace('Subject: News', 'Subject: [list] News') }),
  ],
  ['a key that is not published', 'dkim_no_key', () => ({ sign: { key, selector: 'gone' } })],
  ['a key of 768 bits', 'dkim_short_key', () => ({ sign: { key: shortKey, selector: 'short' } })],
  [
    'a signature of an unknown kind',
    'dkim_invalid',
    () => ({ after: (raw) => raw.replace('a=rsa-sha256', 'a=rot13') }),
  ],
  [
    'h= without List-Unsubscribe',
    'signed_incomplete',
    () => ({ signed: SIGNED.filter((name) => name !== 'List-Unsubscribe') }),
  ],
  [
    'h= without List-Unsubscribe-Post',
    'signed_incomplete',
    () => ({ signed: SIGNED.filter((name) => name !== 'List-Unsubscribe-Post') }),
  ],
  ['two From headers', 'from_invalid', () => ({ headers: { From: [`news@${SHOP}`, 'ceo@bank.example'] } })],
  [
    'a link that was cut',
    'link_invalid',
    () => ({ headers: { 'List-Unsubscribe': `<${links.one_click_url.slice(0, -4)}>` } }),
  ],
  [
    'the link of another site',
    'link_invalid',
    () => ({ headers: { 'List-Unsubscribe': `<${links.one_click_url.slice(0, -4)}aaaa>` } }),
  ],
  [
    'another site’s link',
    'link_other_site',
    () => ({ headers: { 'List-Unsubscribe': `<${otherSitesLinks.one_click_url}>` } }),
  ],
  [
    'another site’s challenge on this host',
    'link_other_site',
    () => ({
      headers: {
        'List-Unsubscribe': `<${new URL(links.one_click_url).origin}/u/${otherSitesLinks.one_click_url.split('/u/')[1] ?? ''}>`,
      },
    }),
  ],
  [
    'another person’s link',
    'link_other_person',
    () => ({ headers: { 'List-Unsubscribe': `<${strangersLinks.one_click_url}>` } }),
  ],
  [
    'the page where the one-click link belongs',
    'link_no_one_click',
    () => ({ headers: { 'List-Unsubscribe': `<${links.preference_url}>` } }),
  ],
  [
    'a slash after the link',
    'link_no_one_click',
    () => ({ headers: { 'List-Unsubscribe': `<${links.one_click_url}/>` } }),
  ],
  [
    'a path of the API',
    'link_no_one_click',
    () => ({
      headers: { 'List-Unsubscribe': `<${new URL(links.one_click_url).origin}/u/../api/core/v1/x>` },
    }),
  ],
  [
    'the link on an own domain that is not verified',
    'link_not_served',
    () => header(onHost(links.one_click_url, UNVERIFIED)),
  ],
  [
    'the link on the host of the app',
    'link_not_served',
    () => header(links.one_click_url.replace(new URL(links.one_click_url).host, new URL(product.url).host)),
  ],
  [
    'a link in the body on an own domain that is not verified',
    'body_not_served',
    () => ({ html: `<a href="${onHost(links.preference_url, UNVERIFIED)}">Unsubscribe</a>` }),
  ],
  [
    'no link in the body',
    'body_missing',
    () => ({ html: '<p>Hello Nora</p><a href="https://shop.example/new">Look</a>' }),
  ],
  [
    'a hidden link',
    'body_hidden',
    () => ({ html: `<div style="DISPLAY: none"><a href="${links.preference_url}">Unsubscribe</a></div>` }),
  ],
  [
    'a hidden link of a tool, which only its words tell',
    'body_hidden',
    () => ({ html: '<a href="https://shop.example/x/1" style="display:none">Unsubscribe</a>' }),
  ],
  [
    'a link of 1 px',
    'body_hidden',
    () => ({ html: `<a style="font-size:1px" href="${links.preference_url}">Unsubscribe</a>` }),
  ],
  [
    'a link white on white',
    'body_hidden',
    () => ({
      html: `<td bgcolor="#ffffff"><a href="${links.preference_url}" style="color:#FFF">Unsubscribe</a></td>`,
    }),
  ],
  [
    'a link with nothing in it',
    'body_hidden',
    () => ({ html: `<a href="${links.preference_url}"> &nbsp; </a>` }),
  ],
  [
    'a link on a pixel',
    'body_hidden',
    () => ({
      html: `<a href="${links.preference_url}"><img src="x.png" width="1" height="1" alt="Unsubscribe"></a>`,
    }),
  ],
  [
    'a link on an image',
    'body_image_only',
    () => ({ html: `<a href="${links.preference_url}"><img src="x.png" width="90" alt="Unsubscribe"></a>` }),
  ],
  [
    'a link that saves without a click',
    'body_state',
    () => ({ html: `<a href="${links.preference_url}&amp;state=unsubscribe">Unsubscribe</a>` }),
  ],
  [
    'a cut link in the body',
    'body_invalid',
    () => ({ html: `<a href="${links.preference_url.slice(0, -4)}">Unsubscribe</a>` }),
  ],
  [
    'another site’s link in the body',
    'body_other_site',
    () => ({ html: `<a href="${otherSitesLinks.preference_url}">Unsubscribe</a>` }),
  ],
  [
    'another person’s link in the body',
    'body_other_person',
    () => ({ html: `<a href="${strangersLinks.preference_url}">Unsubscribe</a>` }),
  ],
  [
    'another person’s email in a link',
    'body_other_person',
    () => ({
      html: `<a href="${links.preference_url.split('?')[0] ?? ''}?email=sam@shop.example">Unsubscribe</a>`,
    }),
  ],
  [
    'Mailchimp’s merge tag',
    'merge_left',
    () => ({ html: `${footer()}<a href="https://shop.example/?e=*|EMAIL|*">Profile</a>` }),
  ],
  [
    'a merge tag in the header',
    'merge_left',
    () => ({ headers: { 'List-Unsubscribe': '<https://shop.example/u/%%unsub%%>' } }),
  ],
  [
    'an escaped merge tag',
    'merge_left',
    () => ({ html: `<a href="https://shop.example/%7B%7B%20unsubscribe_url%20%7D%7D">Unsubscribe</a>` }),
  ],
  [
    'ActiveCampaign’s merge tag',
    'merge_left',
    () => ({ html: `<a href="%UNSUBSCRIBELINK%">Unsubscribe</a>` }),
  ],
  [
    'an empty challenge',
    'merge_empty',
    () => ({ html: `<a href="${links.preference_url.split('=')[0] ?? ''}=">Unsubscribe</a>` }),
  ],
  ['103 KB of HTML', 'size_clipped', () => ({ html: `${footer()}${'<p>more</p>'.repeat(9600)}` })],
];

describe('a problem', () => {
  it('of each kind is found', () =>
    eachEmail(
      FAULTS,
      async ([, code, email]) => {
        const answer = await check(build(email()));
        expect(codes(answer)).toContain(code);
        expect(answer.status).toBe(
          bad(answer).some((one) => EMAIL_FINDINGS[one][1] === 'fault') ? 'fault' : 'warning',
        );
        const ranks = answer.findings.map(({ status }) => ['fault', 'warning', 'hint', 'ok'].indexOf(status));
        expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
      },
      ([name]) => name,
    ));

  it('that cannot have another cause is the only one reported', async () => {
    const alone: EmailFindingCode[] = [
      'post_wrong',
      'link_other_person',
      'link_not_served',
      'body_not_served',
      'body_hidden',
      'merge_left',
      'size_clipped',
    ];
    for (const [, code, email] of FAULTS.filter(([, one]) => alone.includes(one))) {
      const found = bad(await check(build(email())));
      expect(found.filter((one) => one !== 'merge_left' && one !== 'body_missing')).toEqual(
        code === 'merge_left' ? [] : [code],
      );
    }
  });

  it('with unsigned headers names them, and who signed', async () => {
    const signed = SIGNED.filter((name) => !name.startsWith('List-Unsubscribe'));
    const { findings } = await check(build({ signed }));
    expect(findings.find(({ code }) => code === 'signed_incomplete')?.values).toEqual({
      domain: SHOP,
      headers: 'List-Unsubscribe, List-Unsubscribe-Post',
    });
  });

  it('in a policy is as severe as the domain asks: an unauthenticated email is rejected or only suspect', async () => {
    const tools = dkimKey();
    dns.set('k1._domainkey.tool.example', { TXT: [tools.record] });
    dns.set('_dmarc.strict.example', { TXT: ['v=DMARC1; p=reject'] });
    const sign = { key: tools, selector: 'k1', domain: 'tool.example' };
    const from = (domain: string, more: Headers = {}) =>
      build({ headers: { From: `news@${domain}`, ...more }, sign });
    expect(bad(await check(from(SHOP)))).toEqual(['unaligned']);
    expect(bad(await check(from('strict.example')))).toEqual(['unaligned_refused']);
    expect(bad(await check(from('nowhere.example')))).toEqual(['dmarc_missing']);
    const spf = {
      'Authentication-Results': 'mx.example; dkim=pass; spf=pass (ok) smtp.mailfrom=b@bounce.strict.example',
    };
    expect(codes(await check(from('strict.example', spf)))).toContain('aligned_spf');
  });

  it('in DNS is not blamed on the email: the answer is unknown', async () => {
    dns.broken.add(`${SELECTOR}._domainkey.${SHOP}`);
    try {
      expect(bad(await check(build()))).toEqual(['dkim_unknown', 'alignment_unknown']);
    } finally {
      dns.broken.clear();
    }
  });

  it('is a link of an erased customer, which no longer unsubscribes anybody', async () => {
    const { id } = await buildCustomer(product, world, `gone@${SHOP}`);
    const params = { ...world.params, id };
    const minted = await product.call(mintLinks, { params, body: {} }, world.owner);
    await product.call(deleteCustomer, { params }, world.owner);
    const { one_click_url, preference_url } = https(minted);
    const headers = { 'List-Unsubscribe': `<${one_click_url}>` };
    const answer = await check(build({ headers, html: `<a href="${preference_url}">Unsubscribe</a>` }));
    expect(bad(answer)).toEqual(['link_gone', 'body_gone']);
  });

  it('is a link for a deleted list, which no longer unsubscribes from it', async () => {
    const list = await product.call(
      createList,
      { params: world.params, body: { name: 'Short-lived' } },
      world.owner,
    );
    const body = { list_id: list.id };
    const { one_click_url } = https(
      await product.call(mintLinks, { params: { ...world.params, id: noraId }, body }, world.owner),
    );
    expect(bad(await check(build(header(one_click_url))))).toEqual([]);
    await product.call(deleteList, { params: { ...world.params, id: list.id } }, world.owner);
    expect(bad(await check(build(header(one_click_url))))).toEqual(['link_gone']);
  });

  it('about another site reveals nothing about its customers', async () => {
    const answer = await check(
      build({ headers: { 'List-Unsubscribe': `<${otherSitesLinks.one_click_url}>` } }),
    );
    const found = answer.findings.find(({ code }) => code === 'link_other_site');
    expect(Object.keys(found?.values ?? {})).toEqual(['host']);
  });
});

interface Tool {
  name: string;
  /** The domains that sign, the last one at the bottom. */
  domains: readonly string[];
  signed: string;
  headers: Headers;
  tags?: string;
}

const UNSUBSCRIBE = 'https://click.tool.example/u/8f3a9c';
const HTTPS = `<${UNSUBSCRIBE}>`;
const MAILTO_FIRST = `<mailto:unsubscribe@tool.example?subject=8f3a>,\r\n <${UNSUBSCRIBE}>`;
const HTTPS_FIRST = `<${UNSUBSCRIBE}>, <mailto:leave@tool.example>`;
const OF_SENDGRID =
  'content-type:date:from:mime-version:subject:reply-to:list-unsubscribe:list-unsubscribe-post:to:cc:content-type:date:from:subject:to';

/** Headers of genuine emails: facts/export-formats.md, section 3. */
const TOOLS: Tool[] = [
  {
    name: 'Mailchimp',
    domains: ['mailchimpapp.example'],
    signed:
      'Subject:From:Reply-To:To:Date:Message-ID:X-MC-User:Feedback-ID:List-ID:List-Unsubscribe:List-Unsubscribe-Post:Content-Type:MIME-Version:CC:Date:Subject:From',
    headers: { 'List-Unsubscribe': MAILTO_FIRST, 'X-MC-User': '8f3a', 'Feedback-ID': '1:1.2:us21:mc' },
  },
  {
    name: 'HubSpot',
    domains: [SHOP, 'hubspot.example'],
    signed:
      'sender:from:from:reply-to:to:to:cc:cc:subject:subject:list-unsubscribe:form-sub:feedback-id:list-unsubscribe-post',
    headers: {
      'List-Unsubscribe': MAILTO_FIRST,
      'List-Id': null,
      'X-HS-Cid': '8f3a',
      'Feedback-ID': 'a:b:c:HubSpot',
    },
  },
  {
    name: 'Brevo',
    domains: [SHOP, 'mailin.example'],
    signed:
      'to:cc:from:reply-to:subject:date:mime-version:content-type:list-id:list-unsubscribe:x-csa-complaints:list-unsubscribe-post:message-id:sender:x-sib-id:x-mailin-client:x-mailin-campaign:feedback-id',
    headers: { 'X-sib-id': '8f3a', 'X-Mailin-Campaign': '7', 'Feedback-ID': '1.2.3.4:7_7:7:Sendinblue' },
  },
  {
    name: 'SendGrid',
    domains: ['sendgrid.example'],
    signed: OF_SENDGRID,
    headers: {
      'List-Unsubscribe': `=?us-ascii?Q?=3C${UNSUBSCRIBE.slice(0, 20)}?=\r\n =?us-ascii?Q?${UNSUBSCRIBE.slice(20)}=3E?=`,
      'List-Id': null,
      'X-SG-EID': '=?us-ascii?Q?u001=2E8f3a?=\r\n =?us-ascii?Q?9c=3D=3D?=',
    },
  },
  {
    name: 'beehiiv',
    domains: [SHOP, 'sendgrid.example'],
    signed: `${OF_SENDGRID}:feedback-id:feedback-id`,
    headers: { 'List-Unsubscribe': MAILTO_FIRST, 'List-Id': null, 'X-List-Id': '8f3a', 'X-SG-EID': '8f3a' },
  },
  {
    name: 'Klaviyo',
    domains: ['ksd2.klaviyomail.example'],
    signed: 'From:To:Subject:List-Unsubscribe:List-Unsubscribe-Post',
    headers: { 'X-Kmail-Account': '8f3a', 'X-Kmail-Message': '9c' },
  },
  {
    name: 'ActiveCampaign',
    domains: ['s15.acemsrvd.example'],
    signed: 'From:To:Subject:List-Unsubscribe:List-Unsubscribe-Post',
    headers: { 'Feedback-ID': '7:activecampaign', 'X-mid': '8f3a' },
  },
  {
    name: 'listmonk',
    domains: [SHOP],
    signed: 'From : To : Subject : List-Unsubscribe : List-Unsubscribe-Post',
    headers: { 'List-Id': null, 'X-Listmonk-Campaign': '8f3a', 'X-Listmonk-Subscriber': '9c' },
  },
  {
    name: 'Mautic',
    domains: [SHOP],
    signed: 'From:To:Subject:List-Unsubscribe:List-Unsubscribe-Post',
    headers: { 'List-Id': null },
  },
  {
    name: 'Ghost by Mailgun, read after its signature expired',
    domains: [SHOP],
    signed: 'Message-Id: List-Unsubscribe: List-Unsubscribe-Post: To: To: From: From: Subject: Subject',
    headers: { 'List-Unsubscribe': HTTPS_FIRST, 'Auto-Submitted': 'auto-generated', 'List-Id': null },
    tags: 't=1764000000; x=1764007200',
  },
  {
    name: 'Substack',
    domains: ['mg1.substack.example'],
    signed: 'From:To:Subject:List-Id:List-Unsubscribe:List-Unsubscribe-Post',
    headers: { 'List-Id': '<shop.substack.example>' },
  },
  {
    name: 'Salesforce Marketing Cloud',
    domains: [SHOP],
    signed: 'From:To:Subject:List-ID:List-Unsubscribe:List-Unsubscribe-Post',
    headers: {
      'List-Unsubscribe': HTTPS_FIRST,
      'List-Id': '<<7.xt.local>>',
      'Feedback-ID': '7:7:1.2.3.4:sfmktgcld',
      'X-SFMC-Stack': '7',
    },
  },
];

describe('a genuine email from a tool', () => {
  it('has no problem, whichever tool sent it', () =>
    eachEmail(
      TOOLS,
      async ({ domains, headers, signed, tags }) => {
        const html = `<table><tr><td style="font-size:0"><a href="https://click.tool.example/x/1" style="color:#666;font-size:12px">Se d&eacute;sabonner</a></td></tr></table>`;
        const unsigned = build({ sign: null, html, headers: { 'List-Unsubscribe': HTTPS, ...headers } });
        const raw = domains.reduce((email, domain) => {
          dns.set(`k2._domainkey.${domain}`, { TXT: [key.record] });
          return signEmail(email, {
            ...{ key, domain, selector: 'k2', signed: signed.split(':') },
            ...(tags === undefined ? {} : { tags }),
          });
        }, unsigned);
        const answer = await check(raw);
        // Signed by another domain than the one in From, most of them are only suspect under a policy of none.
        expect(bad(answer)).toEqual(domains.includes(SHOP) ? [] : ['unaligned']);
        expect(codes(answer)).toContain('link_elsewhere');
      },
      ({ name }) => name,
    ));

  it('may link to more hosts than are looked up before the site’s own', async () => {
    const elsewhere = [...Array(120).keys()].map((at) => `<a href="https://h${at}.example/x">Look</a>`);
    const headers = { 'List-Unsubscribe': null, 'List-Unsubscribe-Post': null };
    const answer = await check(build({ headers, html: `${elsewhere.join(' ')}${footer()}` }));
    expect(bad(answer)).toEqual(['unsubscribe_missing']);
  });

  it('in plain text has no problem either', async () => {
    const html = `Hello Nora\r\n\r\nTo unsubscribe, open\r\n${links.preference_url}\r\n`;
    const answer = await check(build({ html, headers: { 'Content-Type': 'text/plain' } }));
    expect(answer.status).toBe('ok');
    expect(codes(answer)).toContain('body_ok');
  });

  it.each([
    ['quoted-printable', (html: string) => html.replaceAll('=', '=3D').replaceAll('Unsub', 'Un=\r\nsub')],
    ['base64', (html: string) => Buffer.from(html).toString('base64')],
  ])('may have its body in %s, among other parts', async (encoding, encode) => {
    const body = [
      ...['--outer', 'Content-Type: multipart/alternative; boundary=inner', ''],
      ...['--inner', 'Content-Type: text/plain', '', 'Hello Nora'],
      ...['--inner', 'Content-Type: text/html', `Content-Transfer-Encoding: ${encoding}`, ''],
      ...[encode(footer()), '--inner--'],
      ...['--outer', 'Content-Type: message/rfc822', '', 'From: a@b.example', '', 'x', '--outer--'],
    ].join('\r\n');
    const headers = { 'Content-Type': 'multipart/mixed; boundary=outer' };
    expect((await check(build({ headers, html: body }))).status).toBe('ok');
  });
});

async function refusal(raw: string | Uint8Array<ArrayBuffer>, type = 'message/rfc822') {
  const { organization_id, site_id } = world.params;
  const path = `/api/core/v1/organizations/${organization_id}/sites/${site_id}/email-checks`;
  const headers = { authorization: `Bearer ${world.owner.token}`, 'content-type': type };
  const response = await fetch(product.url + path, { method: 'POST', headers, body: raw });
  return { status: response.status, body: (await response.json()) as ErrorBody };
}

describe('hostile input', () => {
  const refused: [string, () => string | Uint8Array<ArrayBuffer>][] = [
    ['nothing', () => ''],
    ['prose', () => 'Dear Sir: hello\nWhere is my link? from: me'],
    ['binary', () => new Uint8Array(200_000).map((_, at) => (at * 7919) % 256)],
    ['zeros', () => new Uint8Array(100_000)],
    ['a body alone', () => '<html><a href="https://shop.example/leave">Unsubscribe</a></html>'],
    ['300 KB of headers', () => `From: a@b.example\n${'X: y\n'.repeat(60_000)}\nbody`],
    ['endless folding', () => `From: a@b.example\nX: y\n${' z\n'.repeat(500_000)}\nbody`],
    ['nothing but line ends', () => `From: a@b.example\n${'\n'.repeat(1_900_000)}`],
    [
      'parts in parts',
      () => {
        const depth = [...Array(300).keys()];
        const parts = depth.map((at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`);
        return `From: a@b.example\r\n${parts.join('')}`;
      },
    ],
  ];

  it('is rejected with the reason', () =>
    eachEmail(
      refused,
      async ([, raw]) => {
        const { status, body } = await refusal(raw());
        expect(status).toBe(422);
        expect(body.meta.errors[0]).toMatchObject({ code: 'invalid_field', field: 'file' });
      },
      ([name]) => name,
    ));

  it('is rejected beyond 2 MB, and as another type', async () => {
    expect((await refusal(`From: a@b.example\n\n${'x'.repeat(MAX_EMAIL_BYTES)}`)).status).toBe(413);
    expect((await refusal(build(), 'application/json')).status).toBe(415);
  });

  it('is answered, however it is built', () =>
    eachEmail(
      hostileEmails(build, 200_000),
      async ([, raw]) => {
        expect([200, 422]).toContain((await refusal(raw())).status);
        dns.questions.length = 0;
      },
      ([name]) => name,
    ));

  it('causes only a few DNS queries, however many signatures there are', async () => {
    const signature = (at: number) =>
      `DKIM-Signature: v=1; a=rsa-sha256; d=d${at}.example; s=s; h=from; bh=eA==; b=eA==\r\n`;
    dns.questions.length = 0;
    await check([...Array(200).keys()].map(signature).join('') + build());
    expect(dns.questions.length).toBeLessThan(40);
  });

  it('is limited to 20 a minute per site', async () => {
    for (let count = 0; count < 20; count++) expect((await refusal('x')).status).toBe(422);
    expect((await refusal('x')).status).toBe(429);
  });
});
