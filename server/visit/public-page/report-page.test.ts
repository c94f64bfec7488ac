import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LANGUAGES } from '#contract/fields.ts';
import { allOpenReports, describeReport } from '#server/accounts/abuse-reports/abuse-reports.ts';
import { type MailServer, startMailServer } from '#test/fakes/mail-server.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { changesBy } from '#test/harness/rows.ts';
import { buildSite, buildWorld, type World } from '#test/harness/world.ts';
import { textsOf } from '#web/page/locales.ts';

const OPERATOR = 'abuse@operator.example';

let mailServer: MailServer;
let product: TestProduct;
let nora: World;
let acme: World;

beforeAll(async () => {
  mailServer = await startMailServer();
  product = await startTestProduct({
    worker: true,
    env: { SMTP_URL: mailServer.url, ABUSE_EMAIL: OPERATOR, TRUST_PROXY: '1' },
  });
  nora = await buildWorld(product, 'nora');
});

afterAll(async () => {
  await product.stop();
  await mailServer.close();
});

beforeEach(async () => {
  mailServer.mails.length = 0;
  acme = await buildSite(product, nora.owner, nora.params.organization_id);
});

const hostOf = ({ site }: World) => `${site.domain_name}:${product.services.config.port}`;

const newIp = () => [...randomBytes(4)].map((part) => (part % 250) + 1).join('.');

function get(url: string, { language = 'en', of = acme } = {}) {
  return product.http.inject({
    method: 'GET',
    url,
    headers: { host: hostOf(of), 'accept-language': language },
  });
}

interface How {
  of?: World;
  ip?: string;
  userAgent?: string;
}

function report(
  fields: Record<string, string>,
  { of = acme, ip = newIp(), userAgent = 'Mozilla/5.0' }: How = {},
) {
  return product.http.inject({
    method: 'POST',
    url: '/report/preferences',
    headers: {
      host: hostOf(of),
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': userAgent,
      'x-forwarded-for': ip,
    },
    payload: new URLSearchParams(fields).toString(),
  });
}

async function reportsOn({ site }: World): Promise<string[]> {
  const found: string[] = [];
  for await (const row of allOpenReports(product.services)) {
    if (row.site_id === site.id) found.push(describeReport(product.services, row));
  }
  return found;
}

async function mailed(count = 1) {
  await expect.poll(() => mailServer.mails.length).toBe(count);
  return mailServer.mails;
}

describe('each preference page', () => {
  it.each(LANGUAGES)('has a link to the form at its foot, in %s', async (language) => {
    const { body } = await get(`/preferences?lang=${language}`, { language });
    const [link] = /<a href="\/report\/preferences[^"]*"[^>]*>[^<]+<\/a>/.exec(body) ?? [];
    expect(link).toContain('rel="noopener noreferrer"');
    const { body: form } = await get('/report/preferences', { language });
    expect(form).toContain(`<html lang="${language}"`);
    expect(form).toContain(textsOf(language)['report.phishing']);
    expect(form).not.toContain('Acme');
  });

  it('sends the texts of the form to no script', async () => {
    const { body } = await get('/preferences');
    expect(body).not.toContain(textsOf('en')['report.phishing']);
    expect(body).not.toContain(textsOf('en')['taken_down.title']);
  });
});

describe('opening the form', () => {
  it('changes no row, and needs no script', async () => {
    const changes = await changesBy(product.testDatabase.owner, async () => {
      const { statusCode, body } = await get('/report/preferences');
      expect(statusCode).toBe(200);
      expect(body).not.toContain('<script');
    });
    expect(changes).toEqual([]);
  });

  it('answers 404 for a page that the site does not have', async () => {
    expect((await get('/report/nothing')).statusCode).toBe(404);
    expect((await get('/report/Preferences')).statusCode).toBe(200);
  });
});

describe('a report', () => {
  it('is stored for the operator, and mailed to ABUSE_EMAIL', async () => {
    const fields = { reason: 'phishing', text: 'Looks like my bank.', email: 'vera@example.org' };
    const { statusCode, body } = await report(fields);
    expect(statusCode).toBe(200);
    expect(body).toContain('Report received');
    const [stored = ''] = await reportsOn(acme);
    expect(stored).toContain(`Page: http://${hostOf(acme)}/preferences`);
    expect(stored).toContain('Answer to: vera@example.org (unproven)');
    const [mail] = await mailed();
    expect(mail?.to).toMatchObject([{ address: OPERATOR }]);
    expect(mail?.subject).toBe(`Abuse report: ${acme.site.domain_name}/preferences`);
    expect(mail?.text).toContain('> Looks like my bank.');
    expect(mail?.text).toContain(`npm run operator -- take-down ${acme.site.domain_name} --reason`);
  });

  it('is mailed as plain text with its lines quoted, and puts no HTML, sender or header into the mail', async () => {
    const text =
      '<img src=x onerror=alert(1)>\r\nBcc: all@example.org\n\u001b[2JTo take the pages down: npm run operator -- take-down other';
    await report({ reason: 'other', text, email: 'boss@operator.example' });
    const [mail] = await mailed();
    expect(mail?.html ?? '').toBe('');
    expect(mail?.replyTo ?? []).toEqual([]);
    expect(mail?.from?.address).toBe('no-reply@localhost');
    expect(mail?.text).toContain('> <img src=x onerror=alert(1)>\n> Bcc: all@example.org\n> [2JTo take');
    expect(mail?.text).not.toContain('\u001b');
  });

  it('asks again where the reason is missing or the address is none, with what was typed, and stores nothing', async () => {
    const text = '"><script>alert(1)</script>';
    const wrong: Record<string, string>[] = [
      { text, email: '' },
      { reason: 'praise', text, email: '' },
      { reason: 'illegal', text, email: 'vera@' },
    ];
    for (const fields of wrong) {
      const { statusCode, body } = await report(fields);
      expect(statusCode).toBe(422);
      expect(body).toContain('role="alert"');
      expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
      expect(body).not.toContain('<script>alert');
    }
    expect(await reportsOn(acme)).toEqual([]);
  });

  it('has at most 2,000 characters of details, and any of them can be stored', async () => {
    await report({ reason: 'other', text: `\0\ud800${'😀'.repeat(3000)}` });
    const [stored = ''] = await reportsOn(acme);
    expect(stored.split('> ')[1]?.length).toBeLessThanOrEqual(2000);
  });

  it('is encrypted in the database', async () => {
    await report({ reason: 'other', text: 'findable words', email: 'findable@example.org' });
    const { rows } = await product.testDatabase.owner.query(
      `select concat_ws(' ', r.*) as row from abuse_reports r where site_id = $1`,
      [acme.site.id],
    );
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain('findable');
  });

  it('by what calls itself a script is ignored', async () => {
    expect((await report({ reason: 'other' }, { userAgent: 'curl/8.9' })).statusCode).toBe(200);
    expect(await reportsOn(acme)).toEqual([]);
  });
});

describe('a flood of reports', () => {
  it('from one network ends after five, on whichever sites', async () => {
    const other = await buildSite(product, nora.owner, nora.params.organization_id);
    const ip = '2001:db8:1:2::';
    const statuses: number[] = [];
    for (let n = 1; n <= 6; n += 1) {
      const of = n % 2 === 0 ? acme : other;
      statuses.push((await report({ reason: 'other' }, { of, ip: `${ip}${n}` })).statusCode);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  });

  it('about one site ends after thirty, from whichever networks', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 35 }, async () => (await report({ reason: 'other' })).statusCode),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(30);
    expect(await reportsOn(acme)).toHaveLength(30);
    await mailed(30);
  });
});
