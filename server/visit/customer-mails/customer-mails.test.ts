import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { contrast } from '#contract/contrast.ts';
import { type Customer, deleteCustomer } from '#contract/customers.ts';
import { LANGUAGES } from '#contract/fields.ts';
import { createPreferencePage } from '#contract/preference-pages.ts';
import { openCustomer, updatePublicCustomer } from '#contract/public-preferences.ts';
import { type MailServer, startMailServer } from '#test/fakes/mail-server.ts';
import { freePort } from '#test/harness/ports.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildSite, buildWorld, openAsProven, type World } from '#test/harness/world.ts';
import { type CustomerMail, queueCustomerMail } from './customer-mails.ts';
import { MAIL_TEXTS, type MailTexts } from './customer-mails.texts.ts';

let mailServer: MailServer;
let product: TestProduct;
let world: World;
let vera: Customer;

beforeAll(async () => {
  mailServer = await startMailServer();
  product = await startTestProduct({
    worker: true,
    env: { SMTP_URL: mailServer.url, MAIL_FROM: 'Sayso <hello@sayso.example>' },
  });
  world = await buildWorld(product);
  vera = await buildCustomer(product, world);
});

afterAll(async () => {
  await product.stop();
  await mailServer.close();
});

beforeEach(() => {
  mailServer.mails.length = 0;
});

type WithoutCommon<M> = M extends unknown ? Omit<M, 'pageId' | 'language'> : never;

/** Puts a mail into the queue as a feature would. */
function queue(
  mail: WithoutCommon<CustomerMail> & Partial<Pick<CustomerMail, 'pageId' | 'language'>>,
  of: World = world,
): Promise<void> {
  const whole = { pageId: of.page.id, language: null, ...mail } as CustomerMail;
  return product.services.database.inSite(of.site.id, (site) =>
    queueCustomerMail(product.services, site, whole),
  );
}

async function nextMail() {
  await expect.poll(() => mailServer.mails.length).toBeGreaterThan(0);
  const [mail] = mailServer.mails;
  if (mail === undefined) throw new Error('No mail came');
  return mail;
}

const header = (mail: Awaited<ReturnType<typeof nextMail>>, key: string) =>
  mail.headers.filter((one) => one.key === key).map((one) => one.value);

const askedBy = { host: 'acme.localhost', ip: '192.0.2.0', userAgent: null };

/** One of each kind, to Vera. */
const KINDS = {
  personalLink: () => ({ kind: 'personal_link', email: vera.email, askedBy }) as const,
  emailChanged: () =>
    ({
      kind: 'email_changed',
      customerId: vera.id,
      sequence: 1,
      oldEmail: vera.email,
      newEmail: 'somebody.else@example.org',
    }) as const,
  dataDownload: () => ({ kind: 'data_download', customerId: vera.id }) as const,
  dataErasure: () => ({ kind: 'data_erasure', customerId: vera.id }) as const,
  leftByOldEmail: () =>
    ({ kind: 'left_by_old_email', customerId: vera.id, sequence: 1, listId: world.weekly.id }) as const,
};

describe('an email to a customer', () => {
  it('comes from the page by name and from our address, plain and HTML, and asks for no automatic reply', async () => {
    await queue(KINDS.personalLink());
    const mail = await nextMail();
    expect(mail.from).toMatchObject({ name: 'Acme', address: 'hello@sayso.example' });
    expect(mail.to).toMatchObject([{ address: vera.email }]);
    expect(header(mail, 'auto-submitted')).toEqual(['auto-generated']);
    expect(mail.messageId).toMatch(/^<[0-9a-f-]{36}@sayso\.example>$/);
    const link = /https?:\S+/.exec(mail.text ?? '')?.[0] ?? 'none';
    expect(mail.html).toContain(`href="${link}"`);
    expect(mail.text).toContain('Acme');
  });

  it('loads nothing external, has no tracking, and has no link but its own', async () => {
    for (const mail of Object.values(KINDS)) {
      mailServer.mails.length = 0;
      await queue(mail());
      const { html = '', text = '' } = await nextMail();
      expect(html).not.toMatch(/<(?:img|link|script|iframe|style|object)|url\(|@import|src=/i);
      const links = [...`${html} ${text}`.matchAll(/https?:\/\/[^\s"<]+/g)].map(([link]) =>
        link.replaceAll('&amp;', '&'),
      );
      expect(links.length).toBeGreaterThan(1);
      expect(new Set(links).size).toBe(1);
      expect(new URL(links[0] ?? '').hostname).toBe(world.site.domain_name);
    }
  });

  it.each(LANGUAGES)(
    'of every kind is in %s, and its link leads to a page that is, too',
    async (language) => {
      const of = await inLanguages();
      for (const mail of Object.values(KINDS)) await queue({ ...mail(), language, pageId: of.id });
      const kinds = Object.keys(KINDS);
      await expect.poll(() => mailServer.mails.length).toBe(kinds.length);
      const subjects = kinds.map((kind) => subjectOf(MAIL_TEXTS[language], kind as keyof typeof KINDS));
      expect(mailServer.mails.map((mail) => mail.subject).toSorted()).toEqual(subjects.toSorted());
      expect(new Set(subjects).size).toBe(kinds.length);
      for (const mail of mailServer.mails) {
        expect(mail.html).toContain(`<html lang="${language}">`);
        expect(mail.text).toContain(MAIL_TEXTS[language].greeting);
        expect(/https?:\S+/.exec(mail.text ?? '')?.[0]).toContain(`lang=${language}`);
      }
    },
  );

  it('without a language of its own uses that of the last choice, where the page has it', async () => {
    const of = await inLanguages();
    const person = await buildCustomer(product, world);
    const customerId = await openAsProven(product, world, person);
    await product.call(
      updatePublicCustomer,
      { params: { customerId }, headers: { 'x-page-language': 'pl' }, body: { global_unsubscribe: true } },
      world.visitor,
    );
    await queue({ kind: 'data_download', customerId: person.id, pageId: of.id });
    expect((await nextMail()).html).toContain('<html lang="pl">');
    mailServer.mails.length = 0;
    await queue({ kind: 'data_download', customerId: person.id });
    expect((await nextMail()).html).toContain('<html lang="en">');
  });

  it('can be read in any colors of an owner', async () => {
    for (const colour of ['#ffff00', '#000000', '#ffffff', '#7f7f7f']) {
      const page = await product.call(
        createPreferencePage,
        {
          params: world.params,
          body: {
            name: 'Loud',
            custom_path: `loud-${colour.slice(1)}`,
            attrs: { primary_color: colour, text_color: colour, background_color: colour },
            override: { reason: 'Mails mend the colors.' },
          },
        },
        world.owner,
      );
      mailServer.mails.length = 0;
      await queue({ ...KINDS.dataErasure(), pageId: page.id });
      const { html = '' } = await nextMail();
      const button = /background:(#\w{6});color:(#\w{6});font-weight/.exec(html);
      expect(contrast(button?.[1] ?? '', button?.[2] ?? '')).toBeGreaterThanOrEqual(4.5);
      const panel = /background:(#\w{6});border:1px solid #\w{6};border-radius:12px;color:(#\w{6})/.exec(
        html,
      );
      expect(contrast(panel?.[1] ?? '', panel?.[2] ?? '')).toBeGreaterThanOrEqual(4.5);
      const muted = /margin:0 0 12px;color:(#\w{6})/.exec(html);
      expect(contrast(panel?.[1] ?? '', muted?.[1] ?? '')).toBeGreaterThanOrEqual(4.5);
    }
  });

  it('about a change of address shows only a masked new one, and goes to the old one', async () => {
    await queue(KINDS.emailChanged());
    const mail = await nextMail();
    expect(mail.to).toMatchObject([{ address: vera.email }]);
    expect(mail.text).toContain('s•••@example.org');
    expect(`${mail.text} ${mail.html} ${mail.subject}`).not.toContain('somebody.else');
    const link = /\/undo\/(\S+)/.exec(mail.text ?? '')?.[1] ?? '';
    expect(Buffer.from(link, 'base64url').toString('latin1')).not.toContain('vera');
  });

  it('is not sent to someone erased meanwhile', async () => {
    const gone = await buildCustomer(product, world);
    await product.call(deleteCustomer, { params: { ...world.params, id: gone.id } }, world.owner);
    await queue({ kind: 'data_download', customerId: gone.id });
    await queue(KINDS.dataDownload());
    await nextMail();
    await expect.poll(openJobs).toBe(0);
    expect(mailServer.mails).toHaveLength(1);
  });
});

function subjectOf(texts: MailTexts, kind: keyof typeof KINDS): string {
  return {
    personalLink: texts.personalLink('Acme'),
    emailChanged: texts.emailChanged('Acme', ''),
    dataDownload: texts.dataDownload('Acme'),
    dataErasure: texts.dataErasure('Acme'),
    leftByOldEmail: texts.leftByOldEmail('Acme', 'Weekly news'),
  }[kind].subject;
}

let polyglot: { id: string } | null = null;

async function inLanguages(): Promise<{ id: string }> {
  polyglot ??= await product.call(
    createPreferencePage,
    {
      params: world.params,
      body: { name: 'Acme', custom_path: 'polyglot', active_languages: [...LANGUAGES].slice(1) },
    },
    world.owner,
  );
  return polyglot;
}

async function openJobs(): Promise<number> {
  const { rows } = await product.testDatabase.owner.query<{ count: number }>(
    `select count(*)::int as count from queue.job where name = 'customer-mails' and state < 'completed'`,
  );
  return rows[0]?.count ?? -1;
}

const HOSTILE = `Acme"\r\nBcc: victim@example.com\r\n\r\n<img src=x onerror=alert(1)>\u202e`;

describe('hostile names', () => {
  it('of pages and lists add no header, no line and no markup', async () => {
    const other = await buildSite(product, world.owner, world.params.organization_id);
    const ben = await buildCustomer(product, other);
    const { owner } = product.testDatabase;
    await owner.query('update preference_pages set name = $1 where site_id = $2', [HOSTILE, other.site.id]);
    await owner.query('update lists set name = $1 where site_id = $2', [HOSTILE, other.site.id]);
    const kinds = [
      { kind: 'personal_link', email: ben.email, askedBy },
      { kind: 'left_by_old_email', customerId: ben.id, sequence: 1, listId: other.weekly.id },
      { kind: 'data_erasure', customerId: ben.id },
    ] as const;
    for (const mail of kinds) {
      mailServer.mails.length = 0;
      await queue(mail, other);
      const got = await nextMail();
      expect(header(got, 'bcc')).toEqual([]);
      expect(got.from).toMatchObject({
        name: 'Acme" Bcc: victim@example.com <img src=x onerror=alert(1)>',
        address: 'hello@sayso.example',
      });
      expect(got.to).toMatchObject([{ address: ben.email }]);
      expect(got.subject).not.toMatch(/[\r\n\u202e]/);
      expect(got.text).not.toMatch(/^Bcc:/m);
      expect(got.html).not.toContain('<img');
      expect(got.html).toContain('&#60;img');
    }
  });

  it('of a site without pages do no more harm', async () => {
    const other = await buildSite(product, world.owner, world.params.organization_id);
    const ben = await buildCustomer(product, other);
    const { owner } = product.testDatabase;
    await owner.query('delete from preference_pages where site_id = $1', [other.site.id]);
    await owner.query('update sites set name = $1 where id = $2', [HOSTILE, other.site.id]);
    await queue({ kind: 'data_download', customerId: ben.id }, other);
    const got = await nextMail();
    expect(header(got, 'bcc')).toEqual([]);
    expect(got.html).not.toContain('<img');
  });

  it('and addresses with markup in them stay text', async () => {
    const odd = `o'neil&{x}=\`1\`@example.com`;
    await queue({ kind: 'personal_link', email: odd, askedBy });
    const got = await nextMail();
    expect(got.to).toMatchObject([{ address: odd }]);
  });
});

describe('the queue', () => {
  it('contains no address, token or language in clear, and deletes an email soon after it was sent', async () => {
    const { owner } = product.testDatabase;
    await product.services.database.inSite(world.site.id, async (site) => {
      const mail = { ...KINDS.emailChanged(), pageId: world.page.id, language: 'de' } as const;
      await queueCustomerMail(product.services, site, mail);
      const { rows } = await site.query(
        `select data::text as data from queue.job where name = 'customer-mails' and state = 'created'`,
      );
      const data = (rows as { data: string }[]).map((row) => row.data).join(' ');
      expect(data).toContain('sealed');
      expect(data).not.toMatch(/@|email_changed|vera|"de"/);
    });
    await nextMail();
    const { rows } = await owner.query<{ deletion_seconds: number }>(
      `select deletion_seconds from queue.queue where name = 'customer-mails'`,
    );
    expect(rows[0]?.deletion_seconds).toBe(60);
  });

  it('sends nothing when the transaction does not commit', async () => {
    const failing = product.services.database.inSite(world.site.id, async (site) => {
      const mail = { ...KINDS.dataDownload(), pageId: null, language: null } as const;
      await queueCustomerMail(product.services, site, mail);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await expect.poll(openJobs).toBe(0);
    expect(mailServer.mails).toEqual([]);
  });
});

describe('a mail server that is unavailable', () => {
  it('delays no response, and gets the email when it is back', async () => {
    const port = await freePort();
    const away = await startTestProduct({
      worker: true,
      env: { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'hello@sayso.example' },
    });
    let back: MailServer | null = null;
    try {
      const there = await buildWorld(away);
      await away.call(
        createPreferencePage,
        {
          params: there.params,
          body: { name: 'Proof', custom_path: 'proof', attrs: { enhanced_security: true } },
        },
        there.owner,
      );
      const ben = await buildCustomer(away, there);
      const asked = { body: { email: ben.email, custom_path: 'proof' } };
      expect(await away.refuse(openCustomer, asked, there.visitor)).toMatchObject({ status: 403 });
      const { owner } = away.testDatabase;
      const untilNextTry = async () =>
        (await owner.query(`select 1 from queue.job where name = 'customer-mails' and state = 'retry'`))
          .rowCount;
      await expect.poll(untilNextTry).toBe(1);
      back = await startMailServer(port);
      await owner.query(
        `update queue.job set start_after = now() where name = 'customer-mails' and state = 'retry'`,
      );
      await expect.poll(() => back?.mails.length, { timeout: 60_000 }).toBe(1);
      expect(back.mails[0]?.to).toMatchObject([{ address: ben.email }]);
    } finally {
      await away.stop();
      await back?.close();
    }
  }, 180_000);

  it('that rejects an address for good is not asked again', async () => {
    mailServer.refuse = 'nobody@example.net';
    await queue({ ...KINDS.emailChanged(), oldEmail: 'nobody@example.net' });
    await expect.poll(openJobs).toBe(0);
    const { rows } = await product.testDatabase.owner.query<{ state: string }>(
      `select state from queue.job where name = 'customer-mails' order by created_on desc limit 1`,
    );
    expect(rows[0]?.state).toBe('completed');
    expect(mailServer.mails).toEqual([]);
  });
});
