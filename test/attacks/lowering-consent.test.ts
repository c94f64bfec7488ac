import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listCustomerEvidence } from '#contract/choices.ts';
import { type Customer, getCustomer, getCustomerLists, mintLinks } from '#contract/customers.ts';
import { saveLists, updatePublicCustomer } from '#contract/public-preferences.ts';
import { saveChoice } from '#server/choices/choices/choices.ts';
import { idToBytes } from '#server/platform/ids.ts';
import type { Job } from '#server/platform/queue.ts';
import { createKeyring, sign } from '#server/platform/secrets.ts';
import { sendCustomerMail } from '#server/visit/customer-mails/customer-mails.jobs.ts';
import { openCustomerMail } from '#server/visit/customer-mails/customer-mails.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { changesBy } from '#test/harness/rows.ts';
import {
  buildCustomer,
  buildSite,
  buildWorld,
  logInAgain,
  ON_THE_PAGE,
  openAsProven,
  type World,
} from '#test/harness/world.ts';

let product: TestProduct;
let world: World;
let elsewhere: World;
let vera: Customer;
let customerId: string;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  elsewhere = await buildSite(product, world.owner, world.params.organization_id);
});

afterAll(() => product.stop());

beforeEach(async () => {
  await logInAgain(product, world.owner);
  vera = await buildCustomer(product, world);
  customerId = await openAsProven(product, world, vera);
});

const save = (weekly: boolean, offers: boolean) =>
  product.call(
    saveLists,
    {
      params: { customerId },
      body: [
        { notification_list_id: world.weekly.id, subscribed: weekly },
        { notification_list_id: world.offers.id, subscribed: offers },
      ],
    },
    world.visitor,
  );

const update = (body: { global_unsubscribe: boolean }) =>
  product.call(updatePublicCustomer, { params: { customerId }, body }, world.visitor);

async function linkOf(listId?: string): Promise<string> {
  const body = listId === undefined ? {} : { list_id: listId };
  const links = await product.call(
    mintLinks,
    { params: { ...world.params, id: vera.id }, body },
    world.owner,
  );
  return new URL(links.one_click_url).pathname;
}

const hostOf = (of: World) => `${of.site.domain_name}:${product.services.config.port}`;

const get = (url: string, of = world) => product.http.inject({ url, headers: { host: hostOf(of) } });

const post = (url: string, payload: string, of = world) =>
  product.http.inject({
    method: 'POST',
    url,
    headers: { host: hostOf(of), 'content-type': 'application/x-www-form-urlencoded' },
    payload,
  });

async function oneClick(url: string): Promise<void> {
  const { statusCode, body } = await post(url, 'List-Unsubscribe=One-Click');
  expect([statusCode, body]).toEqual([200, "You're unsubscribed.\n"]);
}

async function stateNow() {
  const call = { params: { ...world.params, id: vera.id } };
  const customer = await product.call(getCustomer, call, world.owner);
  const { results } = await product.call(getCustomerLists, call, world.owner);
  const lists = new Map(results.map((one) => [one.notification_list_id, one.subscribed]));
  return {
    left: customer.global_unsubscribe,
    pausedUntil: customer.paused_until,
    weekly: lists.get(world.weekly.id),
    offers: lists.get(world.offers.id),
  };
}

async function evidence() {
  const call = { params: { ...world.params, id: vera.id }, query: { limit: 100 } };
  return (await product.call(listCustomerEvidence, call, world.owner)).results;
}

/** What is on its way to Vera about something that she left, oldest first. */
async function tellings(): Promise<{ job: Job; listId: string | null }[]> {
  const { rows } = await product.testDatabase.owner.query<{ data: Job }>(
    `select data from queue.job where name = 'customer-mails' order by created_on`,
  );
  return rows.flatMap(({ data: job }) => {
    const mail = openCustomerMail(product.services, world.site.id, job.sealed ?? '');
    const isHers = mail?.kind === 'left_by_old_email' && mail.customerId === vera.id;
    return isHers ? [{ job, listId: mail.listId }] : [];
  });
}

/** Sends the last of these mails. */
async function lastMail(): Promise<{ subject: string; plain: string; path: string }> {
  const telling = (await tellings()).at(-1);
  if (telling === undefined) throw new Error('Nothing was told');
  await sendCustomerMail(product.services, telling.job);
  const { rows } = await product.testDatabase.owner.query<{ subject: string; plain: string }>(
    'select subject, plain from outbox_emails where recipient = $1 order by created_at desc limit 1',
    [vera.email],
  );
  const { subject = '', plain = '' } = rows[0] ?? {};
  const { pathname } = new URL(/https?:\S+/.exec(plain)?.[0] ?? '');
  return { subject, plain, path: pathname };
}

const press = (path: string) => post(path, 'intent=confirm');

describe('a one-click from an email that is older than the last sign-up', () => {
  it('unsubscribes from the list that was rejoined', async () => {
    const old = await linkOf(world.weekly.id);
    await save(false, true);
    await save(true, true);
    await oneClick(old);
    expect(await stateNow()).toMatchObject({ left: false, weekly: false, offers: true });
    expect((await evidence())[0]).toMatchObject({ source: 'one_click', events: ['unsubscribed'] });
  });

  it('unsubscribes from everything after a return from everything', async () => {
    const old = await linkOf();
    await save(true, true);
    await update({ global_unsubscribe: true });
    await update({ global_unsubscribe: false });
    product.clock.advance({ days: 400 });
    await logInAgain(product, world.owner);
    await oneClick(old);
    expect(await stateNow()).toMatchObject({ left: true });
  });

  it('works from an email with links of the previous version', async () => {
    const keyring = createKeyring(product.services.config.secretKeys);
    const { id, key } = keyring.derive(`challenge:${world.site.id}`);
    const body = Buffer.concat([
      Buffer.from([1]),
      id,
      Buffer.from([1]),
      idToBytes(world.site.id),
      idToBytes(vera.id),
      Buffer.from([0, 0, 0, 7]),
      idToBytes(world.weekly.id),
    ]);
    await save(true, true);
    await oneClick(`/u/${Buffer.concat([body, sign(key, body, 16)]).toString('base64url')}`);
    expect(await stateNow()).toMatchObject({ left: false, weekly: false, offers: true });
    expect(await tellings()).toMatchObject([{ listId: world.weekly.id }]);
  });

  it('leaves by one click on its landing page, too, without asking', async () => {
    const old = await linkOf(world.weekly.id);
    await save(false, true);
    await save(true, true);
    expect((await get(old)).body).not.toContain('subscribed again');
    expect((await post(old, 'intent=leave')).body).toContain('You won’t receive Weekly news anymore.');
    expect(await stateNow()).toMatchObject({ weekly: false });
    expect(await tellings()).toMatchObject([{ listId: world.weekly.id }]);
  });

  it('ends a pause for good, and the pause can be restored as well', async () => {
    const old = await linkOf();
    await save(true, false);
    const pauseUntil = new Date(product.clock.now().getTime() + 30 * 86_400_000);
    await saveChoice(product.services, world.site.id, vera.id, { pauseUntil }, ON_THE_PAGE);
    await oneClick(old);
    expect(await stateNow()).toMatchObject({ left: true, pausedUntil: null });
    await press((await lastMail()).path);
    expect(await stateNow()).toMatchObject({ left: true, pausedUntil: pauseUntil.toISOString() });
  });
});

describe('the email about what an old email left', () => {
  it('says what was left, and its link changes nothing when it is opened', async () => {
    const old = await linkOf(world.weekly.id);
    await save(true, true);
    await oneClick(old);
    const { subject, plain, path } = await lastMail();
    expect(subject).toBe('You’re unsubscribed from Weekly news');
    expect(plain).toContain('earlier email from Acme');
    const { owner } = product.testDatabase;
    const changes = await changesBy(owner, async () => {
      const page = await get(path);
      expect(page.statusCode).toBe(200);
      expect(page.body).toContain('Subscribe to Weekly news again?');
      await product.http.inject({ method: 'HEAD', url: path, headers: { host: hostOf(world) } });
      await post(path, 'intent=leave');
      await post(path, 'List-Unsubscribe=One-Click');
    });
    expect(changes).toEqual([]);
    expect(await stateNow()).toMatchObject({ weekly: false });
  });

  it('restores the list with one click, once, and the evidence says how', async () => {
    const old = await linkOf(world.weekly.id);
    await save(true, false);
    await oneClick(old);
    const { path } = await lastMail();
    const restored = await press(path);
    expect([restored.statusCode, restored.body.includes('You’re subscribed to Weekly news again.')]).toEqual([
      200,
      true,
    ]);
    expect(await stateNow()).toMatchObject({ left: false, weekly: true, offers: false });
    const before = await evidence();
    expect(before[0]).toMatchObject({ source: 'undo', authority: 'link', events: ['subscribed'] });
    const again = await press(path);
    expect(again.body).toContain('You’re subscribed to Weekly news again.');
    expect((await get(path)).body).toContain('You’re subscribed to Weekly news again.');
    expect(await evidence()).toEqual(before);
  });

  it('restores everything exactly, and nothing that was not there', async () => {
    const old = await linkOf();
    await save(true, false);
    await oneClick(old);
    expect(await stateNow()).toMatchObject({ left: true });
    const { subject, path } = await lastMail();
    expect(subject).toBe('You’re unsubscribed from Acme');
    expect((await press(path)).body).toContain('receive our emails again, as before');
    expect(await stateNow()).toMatchObject({ left: false, weekly: true, offers: false });
  });

  it('restores nothing once something else was chosen', async () => {
    const old = await linkOf(world.weekly.id);
    await save(true, true);
    await oneClick(old);
    const { path } = await lastMail();
    await update({ global_unsubscribe: true });
    expect((await get(path)).body).toContain('Your preferences have changed since');
    const refused = await press(path);
    expect(refused.statusCode).toBe(409);
    expect(await stateNow()).toMatchObject({ left: true });
  });

  it('is sent once for each leave, however often the old link is pressed, even at once', async () => {
    const [weekly, all] = [await linkOf(world.weekly.id), await linkOf()];
    await save(true, true);
    await Promise.all([oneClick(weekly), oneClick(weekly), oneClick(weekly)]);
    await oneClick(weekly);
    await oneClick(all);
    await oneClick(all);
    expect((await tellings()).map(({ listId }) => listId)).toEqual([world.weekly.id, null]);
  });

  it('is sent at most five times a day, and every leave still holds', async () => {
    const old = await linkOf(world.weekly.id);
    for (let count = 0; count < 7; count += 1) {
      customerId = await openAsProven(product, world, vera);
      await save(true, false);
      await oneClick(old);
      expect(await stateNow()).toMatchObject({ weekly: false });
    }
    expect(await tellings()).toHaveLength(5);
  });

  it('is not sent for an email that is younger than every choice', async () => {
    await save(true, true);
    product.clock.advance({ days: 2 });
    await logInAgain(product, world.owner);
    await oneClick(await linkOf(world.weekly.id));
    await oneClick(await linkOf());
    expect(await stateNow()).toMatchObject({ left: true, weekly: false });
    expect(await tellings()).toEqual([]);
  });

  it('is not sent where nothing had been chosen, or nothing was received any more', async () => {
    await oneClick(await linkOf(world.weekly.id));
    await save(false, true);
    await update({ global_unsubscribe: true });
    await oneClick(await linkOf(world.offers.id));
    expect(await tellings()).toEqual([]);
  });

  it('has a link that is worthless elsewhere, forged, or after 30 days', async () => {
    const old = await linkOf(world.weekly.id);
    await save(true, true);
    await oneClick(old);
    const { path } = await lastMail();
    expect((await post(path, 'intent=confirm', elsewhere)).statusCode).toBe(404);
    const forged = `${path.slice(0, -2)}${path.endsWith('AA') ? 'BB' : 'AA'}`;
    expect((await press(forged)).statusCode).toBe(404);
    product.clock.advance({ days: 31 });
    await logInAgain(product, world.owner);
    expect((await press(path)).statusCode).toBe(410);
    expect(await stateNow()).toMatchObject({ weekly: false });
  });
});
