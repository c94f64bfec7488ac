import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { confirmAccountLink, readAccountLink } from '#contract/account-links.ts';
import { listAuditLog } from '#contract/audit-log.ts';
import { askEvidenceAnchor, getEvidenceAnchor } from '#contract/proof.ts';
import { updateSite } from '#contract/sites.ts';
import { EVIDENCE_CHECKS } from '#server/audience/evidence-checks/evidence-checks.jobs.ts';
import { signHeads } from '#server/audience/evidence-heads/evidence-heads.ts';
import { type MailServer, startMailServer } from '#test/fakes/mail-server.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildSite, buildWorld, logInAgain, type World } from '#test/harness/world.ts';

/** Each test has its own: a mailbox that got too much stays blocked. */
let tests = 0;
let stranger: string;
let other: string;

const HEADS = 'Signed evidence of';

let mailServer: MailServer;
let product: TestProduct;
let world: World;

beforeAll(async () => {
  mailServer = await startMailServer();
  product = await startTestProduct({ env: { SMTP_URL: mailServer.url } });
});

afterAll(async () => {
  await product.stop();
  await mailServer.close();
});

beforeEach(async () => {
  mailServer.mails.length = 0;
  tests += 1;
  stranger = `stranger-${tests}@elsewhere.example`;
  other = `other-${tests}@elsewhere.example`;
  await product.testDatabase.owner.query('delete from rate_limits');
  world = await buildWorld(product);
  await buildCustomer(product, world);
});

const save = (evidence_anchor: string, where = world) =>
  product.call(updateSite, { params: where.params, body: { evidence_anchor } }, where.owner);
const anchor = (where = world) => product.call(getEvidenceAnchor, { params: where.params }, where.owner);
const askAgain = () => product.call(askEvidenceAnchor, { params: world.params }, world.owner);
const agree = (token: string) => product.call(confirmAccountLink, { body: { token } });
const refuseAgree = (token: string) => product.refuse(confirmAccountLink, { body: { token } });
const mailsTo = (address: string) => mailServer.mails.filter(({ to }) => to?.[0]?.address === address);
const subjectsTo = (address: string) => mailsTo(address).map(({ subject }) => subject);

/** From the link of the newest mail to an address. */
function tokenTo(address: string): string {
  return /\/confirm\?token=([\w-]+)/.exec(mailsTo(address).at(-1)?.text ?? '')?.[1] ?? '';
}

async function saveAndAgree(email: string): Promise<void> {
  await save(email);
  await agree(tokenTo(email));
  mailServer.mails.length = 0;
}

/** Its heads are signed and sent. */
async function night(where = world): Promise<void> {
  await buildCustomer(product, where);
  await signHeads(product.services, where.site.id, { settlesAfterMs: 0 });
  await EVIDENCE_CHECKS.runDue(product.services);
  await product.testDatabase.owner.query('update evidence_check_tasks set due_at = $2 where site_id = $1', [
    where.site.id,
    product.clock.now(),
  ]);
  await EVIDENCE_CHECKS.runDue(product.services);
}

describe('a mailbox that an owner typed', () => {
  it('gets one email with a link, however often it is saved, and no evidence', async () => {
    for (const email of [stranger, stranger, '', stranger, other, stranger]) await save(email);
    await night();
    expect(subjectsTo(stranger)).toEqual([`“${world.site.name}” wants to send you its signed evidence`]);
    expect(await anchor()).toMatchObject({
      ...{ target: stranger, agreed: false, head: null, sent_at: null, error: null },
      asked_at: expect.any(String),
    });
  });

  it('gets the heads each night once somebody pressed the button that its link leads to', async () => {
    await save(stranger);
    const token = tokenTo(stranger);
    expect((await fetch(`${product.url}/confirm?token=${token}`)).status).toBe(200);
    const link = { kind: 'receive_evidence', email: stranger, site_name: world.site.name };
    expect(await product.call(readAccountLink, { body: { token } })).toEqual(link);
    await night();
    expect(subjectsTo(stranger)).toHaveLength(1);

    expect(await agree(token)).toEqual({ ...link, reset_token: null });
    expect(await anchor()).toMatchObject({ agreed: true, asked_at: null });
    await night();
    expect(subjectsTo(stranger).at(-1)).toContain(HEADS);
    expect(await anchor()).toMatchObject({ error: null, sent_at: expect.any(String) });
    expect(await refuseAgree(token)).toMatchObject({ status: 409, errors: [{ code: 'link_used' }] });
  });

  it('agrees to one site only', async () => {
    const sister = await buildSite(product, world.owner, world.params.organization_id);
    await save(stranger);
    const token = tokenTo(stranger);
    await save(stranger, sister);
    await agree(token);
    expect([(await anchor()).agreed, (await anchor(sister)).agreed]).toEqual([true, false]);
  });

  it('agrees to nothing by a link for another address, nor by one that has expired', async () => {
    await save(stranger);
    const token = tokenTo(stranger);
    await save(other);
    for (const route of [readAccountLink, confirmAccountLink])
      expect((await product.refuse(route, { body: { token } })).errors[0]?.code).toBe('link_used');
    expect(await anchor()).toMatchObject({ target: other, agreed: false });
    const late = tokenTo(other);
    product.clock.advance({ days: 8 });
    expect((await refuseAgree(late)).errors[0]?.code).toBe('link_used');
    await logInAgain(product, world.owner);
    expect(await anchor()).toMatchObject({ agreed: false, asked_at: null });
  });

  it('is asked again after the heads went elsewhere', async () => {
    await saveAndAgree(stranger);
    await save(other);
    await save(stranger);
    expect(await anchor()).toMatchObject({ agreed: false });
    expect(subjectsTo(stranger)).toHaveLength(1);
    await night();
    expect(subjectsTo(stranger)).toHaveLength(1);
  });

  it('can be asked again by the owner, five times a day for all sites, with the last link', async () => {
    await save(stranger);
    const first = tokenTo(stranger);
    for (let time = 2; time <= 5; time += 1) expect((await askAgain()).agreed).toBe(false);
    const refused = await product.refuse(askEvidenceAnchor, { params: world.params }, world.owner);
    expect(refused.status).toBe(429);
    const elsewhere = await buildWorld(product);
    await save(stranger, elsewhere);
    expect(subjectsTo(stranger)).toHaveLength(5);
    expect(await anchor(elsewhere)).toMatchObject({ agreed: false, asked_at: null });
    expect((await refuseAgree(first)).status).toBe(409);
    await agree(tokenTo(stranger));
    expect((await anchor()).agreed).toBe(true);
    const { results } = await product.call(listAuditLog, { params: world.params }, world.owner);
    expect(results.map(({ event }) => event).filter((event) => event.includes('anchor'))).toEqual([
      ...Array.from({ length: 4 }, () => 'site.evidence_anchor_asked'),
      'site.evidence_anchor_changed',
    ]);
  });

  it('stops the emails by the link that each of them carries, and opening it stops nothing', async () => {
    await saveAndAgree(stranger);
    await night();
    const [mail] = mailsTo(stranger);
    const token = tokenTo(stranger);
    const header = mail?.headers.find(({ key }) => key === 'list-unsubscribe')?.value;
    expect(header).toBe(`<${product.url}/confirm?token=${token}>`);
    const link = { kind: 'stop_evidence', email: stranger, site_name: world.site.name };
    expect(await product.call(readAccountLink, { body: { token } })).toEqual(link);
    expect((await anchor()).agreed).toBe(true);

    expect(await agree(token)).toEqual({ ...link, reset_token: null });
    expect(await anchor()).toMatchObject({ target: stranger, agreed: false, asked_at: null });
    await night();
    expect(subjectsTo(stranger)).toHaveLength(1);
    expect((await refuseAgree(token)).errors[0]?.code).toBe('link_used');
  });

  it('that was saved before mailboxes were asked waits as well', async () => {
    await product.testDatabase.owner.query('update sites set evidence_anchor = $2 where id = $1', [
      world.site.id,
      stranger,
    ]);
    await night();
    expect(subjectsTo(stranger)).toEqual([]);
    expect(await anchor()).toMatchObject({ agreed: false, asked_at: null });
  });

  it('needs no link where it is the proven one of the member who saves it, and one where it is not', async () => {
    const { email, id } = world.owner;
    await save(email);
    expect((await anchor()).agreed).toBe(false);
    await save('');
    await product.testDatabase.owner.query('update users set email_proven_at = now() where id = $1', [id]);
    mailServer.mails.length = 0;
    await save(email);
    await night();
    expect(subjectsTo(email)).toEqual([expect.stringContaining(HEADS)]);
  });

  it('that the mail server refuses is saved, and can be asked later', async () => {
    mailServer.refuse = stranger;
    await save(stranger);
    expect(await anchor()).toMatchObject({ target: stranger, agreed: false, asked_at: null });
    mailServer.refuse = '';
    await askAgain();
    expect(subjectsTo(stranger)).toHaveLength(1);
  });
});
