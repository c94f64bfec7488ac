import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listAuditLog } from '#contract/audit-log.ts';
import { listCustomerEvidence } from '#contract/choices.ts';
import { answerComplaint, type Complaint, getComplaint, listComplaints } from '#contract/complaints.ts';
import { type Customer, deleteCustomer } from '#contract/customers.ts';
import { getDashboard } from '#contract/dashboard.ts';
import { complain, openCustomer } from '#contract/public-preferences.ts';
import { personalDataOf } from '#server/visit/personal-data/personal-data.ts';
import { runCustomerTimers } from '#server/visit/customers/customer-timers.jobs.ts';
import { dueDateOf } from '#server/audience/complaints/complaints.ts';
import { type MailServer, startMailServer } from '#test/fakes/mail-server.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { SimulatedClock } from '#test/harness/simulated-clock.ts';
import {
  buildCustomer,
  buildSite,
  buildWorld,
  logInAgain,
  openAsProven,
  type World,
} from '#test/harness/world.ts';

const TEXT = 'You passed my email on to a partner.\nI never agreed to that.';
const NOW = '2027-01-31T09:00:00.000Z';

const clock = new SimulatedClock();
let mailServer: MailServer;
let product: TestProduct;
let world: World;
let vera: Customer;
let customerId: string;

beforeAll(async () => {
  mailServer = await startMailServer();
  product = await startTestProduct({ worker: true, clock, env: { SMTP_URL: mailServer.url } });
  world = await buildWorld(product);
});

afterAll(async () => {
  await product.stop();
  await mailServer.close();
});

beforeEach(async () => {
  await product.testDatabase.owner.query('delete from rate_limits');
  mailServer.mails.length = 0;
  mailServer.refuse = '';
  vera = await buildCustomer(product, world);
  customerId = await openAsProven(product, world, vera);
});

const send = (text = TEXT, id = customerId) =>
  product.call(complain, { params: { customerId: id }, body: { text } }, world.visitor);

const ofSite = (id: string) => ({ params: { ...world.params, id } });

const read = (id: string) => product.call(getComplaint, ofSite(id), world.owner);

async function complaints(query: { state?: 'open' | 'closed' } = {}): Promise<Complaint[]> {
  const call = { params: world.params, query: { ...query, customer_id: vera.id } };
  return (await product.call(listComplaints, call, world.owner)).results;
}

/** What one address got, as text. */
const mailsTo = (email: string) =>
  mailServer.mails.filter((mail) => mail.to?.[0]?.address === email).map((mail) => mail.text ?? '');

async function mailed(email: string, count = 1): Promise<void> {
  await expect.poll(() => mailsTo(email).length).toBe(count);
}

async function filed(text = TEXT): Promise<Complaint> {
  await send(text);
  const [one] = await complaints();
  if (one === undefined) throw new Error('There is no complaint');
  return one;
}

const answer = (id: string, outcome: 'upheld' | 'not_upheld' = 'upheld') => ({
  ...ofSite(id),
  body: { outcome, answer: 'The partner has deleted your email.\n\nWe no longer pass emails on.' },
});

describe('a complaint', () => {
  it('is stored sealed, confirmed to the customer without being quoted, and counts as no choice', async () => {
    const { masked_email, due_at } = await send();
    expect(masked_email).toBe('v•••@example.com');
    await mailed(vera.email);
    const [mail = ''] = mailsTo(vera.email);
    expect(mail).toContain('We received your complaint');
    expect(mail).not.toContain('partner');
    await expect.poll(async () => (await complaints())[0]?.acknowledged_at).not.toBeNull();
    const [one] = await complaints({ state: 'open' });
    expect(one).toMatchObject({ text: TEXT, email: vera.email, state: 'open', due_at, answer: null });
    const { rows } = await product.testDatabase.owner.query<{ text_sealed: string }>(
      'select text_sealed from complaints where id = $1',
      [one?.id],
    );
    expect(rows[0]?.text_sealed).not.toContain('partner');
    const evidence = await product.call(listCustomerEvidence, { ...ofSite(vera.id), query: {} }, world.owner);
    expect(evidence.results.map(({ events }) => events)).toEqual([['customer_created']]);
  });

  it('needs no proof on a page that does not ask for it', async () => {
    const body = { email: vera.email, custom_path: 'preferences' };
    const { id } = await product.call(openCustomer, { body }, world.visitor);
    await send(TEXT, id);
    expect(await complaints()).toHaveLength(1);
  });

  it('that is sent again counts once; five a day are accepted, and a sixth is refused, not dropped', async () => {
    const first = await send();
    expect(await send()).toEqual(first);
    expect(await complaints()).toHaveLength(1);
    for (const text of ['Two.', 'Three.', 'Four.']) await send(text);
    const call = { params: { customerId }, body: { text: 'Five.' } };
    expect((await product.refuse(complain, call, world.visitor)).status).toBe(429);
    expect(await complaints()).toHaveLength(4);
  });

  it('by somebody who only typed the address says so, and uses up none of the customer’s own', async () => {
    const body = { email: vera.email, custom_path: 'preferences' };
    const { id } = await product.call(openCustomer, { body }, world.visitor);
    for (const text of ['One.', 'Two.', 'Three.', 'Four.', 'Five.']) await send(text, id);
    const call = { params: { customerId: id }, body: { text: 'Six.' } };
    expect((await product.refuse(complain, call, world.visitor)).status).toBe(429);
    await send('My own.');
    const levels = (await complaints()).map(({ text, level }) => [text, level]);
    expect(levels).toContainEqual(['My own.', 'proven']);
    expect(levels.filter(([, level]) => level === 'open')).toHaveLength(5);
  });

  it('must have a text, which must not be too long', async () => {
    for (const text of ['', ' \n ', 'x'.repeat(2001)]) {
      const refused = await product.refuse(
        complain,
        { params: { customerId }, body: { text } },
        world.visitor,
      );
      expect(refused).toMatchObject({ status: 422, errors: [{ field: 'text' }] });
    }
    await send('\ufeffOne.\r\nTwo.\u0007');
    expect((await complaints())[0]?.text).toBe('One.\nTwo.');
  });

  it('works as a plain form, which shows the date by which it is answered', async () => {
    const payload = new URLSearchParams({
      intent: 'complain',
      customer: customerId,
      save_id: 'save-0001',
      text: TEXT.replace('\n', '\r\n'),
    });
    const page = await product.http.inject({
      method: 'POST',
      url: '/preferences',
      headers: {
        host: `${world.site.domain_name}:${product.services.config.port}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: payload.toString(),
    });
    expect(page.statusCode).toBe(200);
    expect(page.body).toMatch(/<details[^>]*open=""[^>]*><summary>Complain about how we use your data/);
    expect(page.body).toContain('We’ve received your complaint');
    expect((await complaints())[0]?.text).toBe(TEXT);
  });

  it('that no mailbox accepted is not confirmed: its owners still have to be reached', async () => {
    mailServer.refuse = vera.email;
    const { id } = await filed();
    const sql = 'select 1 from email_bounces where customer_id = $1';
    await expect.poll(async () => (await product.testDatabase.owner.query(sql, [vera.id])).rowCount).toBe(1);
    expect((await read(id)).acknowledged_at).toBeNull();
  });
});

describe('the deadline', () => {
  it('is a month later, on the last day of a shorter month', () => {
    const due = (at: string) => dueDateOf(new Date(at)).toISOString();
    expect(due(NOW)).toBe('2027-02-28T09:00:00.000Z');
    expect(due('2027-02-28T09:00:00.000Z')).toBe('2027-03-28T09:00:00.000Z');
    expect(due('2027-12-15T00:00:00.000Z')).toBe('2028-01-15T00:00:00.000Z');
  });

  it('is emailed to the owners at once, again a week before it ends, and when it has passed', async () => {
    const site = await buildSite(product, world.owner, world.params.organization_id);
    const person = await buildCustomer(product, site);
    const sealed = await openAsProven(product, site, person);
    await product.call(complain, { params: { customerId: sealed }, body: { text: TEXT } }, site.visitor);
    const told = () => mailsTo(world.owner.email).filter((text) => text.includes(site.site.id));
    const tell = async (count: number) => {
      await runCustomerTimers(product.services, 'complaint');
      await expect.poll(() => told().length).toBe(count);
    };
    const open = async () => {
      await logInAgain(product, world.owner);
      const query = { range: '7d' as const };
      return (await product.call(getDashboard, { params: site.params, query }, world.owner)).complaints;
    };
    await tell(1);
    expect(told()[0]).not.toContain(person.email);
    expect(told()[0]).not.toContain('partner');
    expect(await open()).toMatchObject({ open: 1, overdue: 0 });

    const days = (Date.parse((await open()).next_due_at ?? '') - clock.now().getTime()) / 86_400_000;
    clock.advance({ days: Math.round(days) - 8 });
    await tell(1);
    clock.advance({ days: 1, hours: 1 });
    await tell(2);
    await tell(2);
    expect(told()[1]).toContain('still open');
    clock.advance({ days: 7 });
    expect(await open()).toMatchObject({ open: 1, overdue: 1 });
  });
});

describe('an answer', () => {
  it('is emailed with the outcome, closes the complaint, and is in the audit log', async () => {
    const { id } = await filed();
    await mailed(vera.email);
    // Sending the email comes first, and then the complaint counts as acknowledged.
    await expect.poll(async () => (await read(id)).acknowledged_at).not.toBeNull();
    const closed = await product.call(answerComplaint, answer(id), world.owner);
    expect(closed).toMatchObject({ state: 'closed', outcome: 'upheld', is_overdue: false });
    await mailed(vera.email, 2);
    const mail = mailsTo(vera.email)[1] ?? '';
    expect(mail).toContain('We agree with your complaint.');
    expect(mail).toContain('The partner has deleted your email.');
    expect(await complaints({ state: 'open' })).toEqual([]);
    expect(await complaints({ state: 'closed' })).toEqual([closed]);
    const log = await product.call(listAuditLog, { params: world.params, query: {} }, world.owner);
    expect(log.results[0]).toMatchObject({ event: 'complaint.answered', subject_id: id });
  });

  it('from two people at once is the one that came first', async () => {
    const { id } = await filed();
    const both = await Promise.allSettled([
      product.call(answerComplaint, answer(id, 'upheld'), world.owner),
      product.call(answerComplaint, answer(id, 'not_upheld'), world.owner),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const refused = await product.refuse(answerComplaint, answer(id), world.owner);
    expect(refused).toMatchObject({ status: 409, errors: [{ code: 'conflict' }] });
    await mailed(vera.email, 2);
  });

  it('is only possible for complaints of this site', async () => {
    const { id } = await filed();
    const site = await buildSite(product, world.owner, world.params.organization_id);
    const there = { params: { ...site.params, id } };
    expect((await product.refuse(getComplaint, there, world.owner)).status).toBe(404);
    const body = answer(id).body;
    expect((await product.refuse(answerComplaint, { ...there, body }, world.owner)).status).toBe(404);
    expect((await read(id)).state).toBe('open');
  });
});

describe('what remains of a complaint', () => {
  it('is in the copy of the customer’s data, with its answer', async () => {
    const { id, due_at } = await filed();
    await product.call(answerComplaint, answer(id), world.owner);
    const { complaints: copied } = await personalDataOf(product.services, world.site.id, vera.id);
    expect(copied).toMatchObject([
      { text: TEXT, answer_due_at: due_at, outcome: 'upheld', answer: answer(id).body.answer },
    ]);
  });

  it('after an erasure is that there was one, and when', async () => {
    const answered = await filed();
    await product.call(answerComplaint, answer(answered.id), world.owner);
    await send('Another one.');
    await product.call(deleteCustomer, ofSite(vera.id), world.owner);
    const [open, closed] = await complaints();
    expect(open).toMatchObject({ state: 'closed', outcome: 'erased', text: null, email: null });
    expect(closed).toMatchObject({ outcome: 'upheld', text: null, answer: null, email: null });
    const { rows } = await product.testDatabase.owner.query(
      'select 1 from complaints where customer_id = $1 and (text_sealed is not null or answer_sealed is not null)',
      [vera.id],
    );
    expect(rows).toEqual([]);
    await runCustomerTimers(product.services, 'complaint');
    expect((await product.refuse(answerComplaint, answer(open?.id ?? ''), world.owner)).status).toBe(409);
  });
});
