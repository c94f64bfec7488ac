import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { fileReport } from '#server/accounts/abuse-reports/abuse-reports.ts';
import { runProgram } from '#test/harness/commands.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildSite, buildWorld, type World } from '#test/harness/world.ts';

let product: TestProduct;
let nora: World;
let acme: World;

beforeAll(async () => {
  product = await startTestProduct();
  nora = await buildWorld(product, 'nora');
});

beforeEach(async () => {
  acme = await buildSite(product, nora.owner, nora.params.organization_id);
});

afterAll(() => product.stop());

/** `npm run operator -- ...`, beside the product that is running. */
async function operator(...args: string[]): Promise<{ code: number | null; said: string }> {
  const { code, output } = await runProgram(['server/operator.ts', ...args], {
    DATABASE_URL: product.testDatabase.ownerUrl,
    SECRET_KEY: inject('secretKey'),
    APP_URL: product.url,
  });
  return { code, said: output.trim() };
}

const host = () => acme.site.domain_name;

const status = async () =>
  (await product.http.inject({ url: '/preferences', headers: { host: host() } })).statusCode;

const mails = async () =>
  (
    await product.testDatabase.owner.query<{ subject: string }>(
      'select subject from outbox_emails where subject like $1 order by created_at',
      [`%${acme.site.name}`],
    )
  ).rows.map(({ subject }) => subject);

const report = (text: string) =>
  fileReport(
    product.services,
    { siteId: acme.site.id, ip: '192.0.2.1' },
    { host: host(), path: 'preferences', reason: 'phishing', text, email: '', language: 'de' },
  );

// Each command is a process of its own, which takes its time on a busy machine.
describe('npm run operator', { timeout: 120_000 }, () => {
  it('takes the pages of a site down, in the running product too, emails the owners, and puts them back', async () => {
    expect(await status()).toBe(200);
    const { code, said } = await operator(
      'take-down',
      host().toUpperCase(),
      '--reason',
      'Pretends to be a bank.',
    );
    expect(code, said).toBe(0);
    expect(said).toContain('Its owners were emailed.');
    await expect.poll(status).toBe(410);
    expect((await operator('take-down', host(), '--reason', 'Again.')).said).toContain('taken down already');
    expect((await operator('put-back', host())).said).toContain('are served again');
    await expect.poll(status).toBe(200);
    expect((await operator('put-back', host())).said).toContain("aren't taken down");
    expect(await mails()).toEqual([
      `Your preference pages were taken down · ${acme.site.name}`,
      `Your preference pages are back · ${acme.site.name}`,
    ]);
  });

  it('lists open reports, without what could move the cursor, until they are acted on', async () => {
    await report('Looks like my bank.\n\u001b[2JNo open reports.');
    const { said } = await operator('reports');
    expect(said).toContain(`${product.url.replace('localhost', host())}/preferences`);
    expect(said).toContain('> Looks like my bank.\n> [2JNo open reports.');
    expect(said).not.toContain('\u001b');
    expect((await operator('dismiss', host())).said).toContain('1 report closed');
    await report('Still there.');
    expect((await operator('reports')).said).toContain('> Still there.');
    await operator('take-down', host(), '--reason', 'Phishing.');
    expect((await operator('reports')).said).toBe('No open reports.');
  });

  it.each([
    ['an unknown host', ['take-down', 'nowhere.localhost', '--reason', 'x'], 'HOST: no site is served at'],
    ['no reason', ['take-down', 'HOST'], '--reason: say why'],
    ['an empty reason', ['take-down', 'HOST', '--reason', '  '], '--reason: say why'],
    ['too long a reason', ['take-down', 'HOST', '--reason', 'x'.repeat(501)], 'at most 500 characters'],
    ['an unquoted reason', ['take-down', 'HOST', '--reason', 'x', 'y'], 'in quotation marks'],
    ['another command', ['remove', 'HOST'], 'npm run operator -- take-down HOST'],
    ['no command', [], 'npm run operator -- reports'],
  ])('refuses %s with a sentence, and changes nothing', async (_, args, sentence) => {
    const { code, said } = await operator(...args.map((one) => (one === 'HOST' ? host() : one)));
    expect(code).toBe(1);
    expect(said).toContain(sentence);
    expect(said).not.toContain(' at Object');
    expect(await status()).toBe(200);
  });
});
