import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAction } from '#contract/actions.ts';
import { type ChoicePreview, previewChoice, type PreviewedChoice } from '#contract/choice-previews.ts';
import { CHOICE_EVENTS } from '#contract/choices.ts';
import { type Customer, getCustomer, mintLinks, setCustomerLists } from '#contract/customers.ts';
import { updateList } from '#contract/lists.ts';
import { getPreferencePage, replacePreferencePage } from '#contract/preference-pages.ts';
import { openCustomer, saveLists, updatePublicCustomer } from '#contract/public-preferences.ts';
import { type MailServer, startMailServer } from '#test/fakes/mail-server.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildSite, buildWorld, openAsProven, type World } from '#test/harness/world.ts';

let product: TestProduct;
let receiver: WebhookReceiver;
let mailServer: MailServer;
let nora: World;
let site: World;
let vera: Customer;

beforeAll(async () => {
  [receiver, mailServer] = await Promise.all([startWebhookReceiver(), startMailServer()]);
  product = await startTestProduct({ worker: true, env: { SMTP_URL: mailServer.url } });
  nora = await buildWorld(product);
});

/** Every event has its webhook, and Vera receives both lists. */
beforeEach(async () => {
  site = await buildSite(product, nora.owner, nora.params.organization_id);
  vera = await buildCustomer(product, site);
  const body = [site.weekly, site.offers].map(({ id }) => ({ notification_list_id: id, subscribed: true }));
  await product.call(setCustomerLists, { params: { ...site.params, id: vera.id }, body }, site.owner);
  for (const event of CHOICE_EVENTS) {
    const target = { url: receiver.url };
    const action = { type: 'webhook' as const, name: event, trigger: { event }, target };
    await product.call(createAction, { params: site.params, body: action }, site.owner);
  }
  receiver.received.length = 0;
  mailServer.mails.length = 0;
});

afterAll(async () => {
  await product.stop();
  await receiver.close();
  await mailServer.close();
});

async function setPage(changed: { confirm_changes?: boolean; offer_pause?: boolean }): Promise<void> {
  const params = { ...site.params, id: site.page.id };
  const { name, custom_path, lists, attrs } = await product.call(getPreferencePage, { params }, site.owner);
  const body = {
    ...{ name, custom_path, lists: lists.map(({ id }) => ({ id })) },
    attrs: { ...attrs, ...changed },
  };
  await product.call(replacePreferencePage, { params, body }, site.owner);
}

const preview = (choice: PreviewedChoice, confirm_changes = false) =>
  product.call(
    previewChoice,
    { params: site.params, body: { customer: { id: vera.id }, choice, confirm_changes } },
    site.owner,
  );

/** Without the time, which is another one then. */
function contentOf(body: string | null | undefined): object {
  const { timestamp: _, ...content } = JSON.parse(body ?? '{}') as { timestamp?: string };
  return content;
}

const byType = (all: object[]) =>
  all.toSorted((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other)));

const planned = (choice: ChoicePreview['choices'][number] | undefined) =>
  byType((choice?.actions ?? []).flatMap(({ calls }) => calls.map(({ body }) => contentOf(body))));

/** What has come, once as much has as was shown. */
async function received(count: number): Promise<object[]> {
  return byType((await receiver.waitFor(count)).map(({ body }) => contentOf(body)));
}

const off = () =>
  [site.weekly, site.offers].map(({ id }) => ({ notification_list_id: id, subscribed: false }));

/** Once nobody can be on their way any more: a later change of somebody else has arrived. */
async function receivesNothing(): Promise<void> {
  const other = await buildCustomer(product, site);
  await receiver.waitFor(1);
  expect(receiver.received.map(({ body }) => body)).toEqual([expect.stringContaining(other.id)]);
  receiver.received.length = 0;
}

describe('the preview shows what is then sent', () => {
  it('for a choice that the team records, which needs no confirmation', async () => {
    const params = { ...site.params, id: site.weekly.id };
    await product.call(
      updateList,
      { params, body: { double_opt_in: true, subscription_default_state: false } },
      site.owner,
    );
    const of = { ...site.params, id: vera.id };
    const set = (subscribed: boolean) =>
      product.call(
        setCustomerLists,
        { params: of, body: [{ notification_list_id: site.weekly.id, subscribed }] },
        site.owner,
      );
    await set(false);
    await receiver.waitFor(1);
    receiver.received.length = 0;
    const choice = { lists: [{ notification_list_id: site.weekly.id, subscribed: true }] };
    const body = { customer: { id: vera.id }, choice, on_behalf: true };
    const { choices } = await product.call(previewChoice, { params: site.params, body }, site.owner);
    expect(choices).toMatchObject([{ needs_confirmation: false, events: ['subscribed'] }]);
    await set(true);
    const shown = planned(choices[0]);
    expect(JSON.stringify(shown)).toContain('"source":"owner"');
    expect(await received(shown.length)).toEqual(shown);
  });

  it('for a pause until a day', async () => {
    const day = new Date(product.clock.now().getTime() + 40 * 86_400_000).toISOString().slice(0, 10);
    const { choices } = await preview({ pause_until: day });
    expect(choices).toMatchObject([{ paused_until: `${day}T12:00:00.000Z`, global_unsubscribe: true }]);
    await setPage({ offer_pause: true });
    const customerId = await openAsProven(product, site, vera);
    const body = { pause_until: day };
    const saved = await product.call(updatePublicCustomer, { params: { customerId }, body }, site.visitor);
    expect(saved.paused_until).toBe(choices[0]?.paused_until);
    const shown = planned(choices[0]);
    expect(shown).not.toEqual([]);
    expect(await received(shown.length)).toEqual(shown);
  });

  it('for lists and everything together, as the page’s button sends them', async () => {
    const { choices } = await preview({ lists: off(), global_unsubscribe: true });
    expect(choices).toMatchObject([{ global_unsubscribe: true, paused_until: null }]);
    expect(choices[0]?.lists.map(({ subscribed }) => subscribed)).toEqual([false, false]);
    const customerId = await openAsProven(product, site, vera);
    const headers = { 'x-unsubscribe-all': '1' as const };
    await product.call(saveLists, { params: { customerId }, headers, body: off() }, site.visitor);
    const shown = planned(choices[0]);
    expect(shown).not.toEqual([]);
    expect(await received(shown.length)).toEqual(shown);
  });

  it('for a wrong recipient, who is then shown as one', async () => {
    const { choices } = await preview({ wrong_recipient: true });
    expect(choices).toMatchObject([
      { global_unsubscribe: true, wrong_recipient_at: expect.any(String), needs_confirmation: false },
    ]);
    const params = { ...site.params, id: vera.id };
    expect(await product.call(getCustomer, { params }, site.owner)).toMatchObject({
      wrong_recipient_at: null,
    });
    const links = await product.call(mintLinks, { params, body: {} }, site.owner);
    const { pathname, host } = new URL(links.one_click_url);
    const headers = { host, 'content-type': 'application/x-www-form-urlencoded' };
    const payload = 'Wrong-Recipient=One-Click';
    expect((await product.http.inject({ method: 'POST', url: pathname, headers, payload })).statusCode).toBe(
      200,
    );
    const shown = planned(choices[0]);
    expect(JSON.stringify(shown)).toContain('"source":"wrong_recipient"');
    expect(await received(shown.length)).toEqual(shown);
    // A second report changes nothing.
    expect((await preview({ wrong_recipient: true })).choices).toEqual([]);
  });

  describe('on a page that asks to confirm changes', () => {
    beforeEach(() => setPage({ confirm_changes: true }));

    const opened = async () => {
      const body = { email: vera.email, custom_path: site.page.custom_path };
      return (await product.call(openCustomer, { body }, site.visitor)).id;
    };

    it('as nothing, until it is confirmed', async () => {
      const leaving = planned((await preview({ global_unsubscribe: true }, true)).choices[0]);
      const gone = { params: { customerId: await opened() }, body: { global_unsubscribe: true } };
      await product.call(updatePublicCustomer, gone, site.visitor);
      expect(await received(leaving.length)).toEqual(leaving);
      receiver.received.length = 0;

      const { choices } = await preview({ global_unsubscribe: false }, true);
      expect(choices.map(({ needs_confirmation: waits }) => waits)).toEqual([true]);
      const shown = planned(choices[0]);
      expect(shown).not.toEqual([]);
      // Without it, the same is sent at once.
      expect((await preview({ global_unsubscribe: false })).choices).toMatchObject([
        { needs_confirmation: false },
      ]);

      const back = { params: { customerId: await opened() }, body: { global_unsubscribe: false } };
      const { pending } = await product.call(updatePublicCustomer, back, site.visitor);
      expect(pending).toMatchObject([{ kind: 'resubscribe' }]);
      await receivesNothing();

      const link = await linkTo(vera.email);
      const headers = { host: link.host, 'content-type': 'application/x-www-form-urlencoded' };
      const sent = { method: 'POST' as const, url: link.pathname, headers, payload: 'intent=confirm' };
      expect((await product.http.inject(sent)).statusCode).toBeLessThan(400);
      expect(await received(shown.length)).toEqual(shown);
    });

    it('at once for what lowers consent, and later for the rest', async () => {
      await product.call(
        setCustomerLists,
        {
          params: { ...site.params, id: vera.id },
          body: [{ notification_list_id: site.offers.id, subscribed: false }],
        },
        site.owner,
      );
      const lists = [
        { notification_list_id: site.weekly.id, subscribed: false },
        { notification_list_id: site.offers.id, subscribed: true },
      ];
      const { choices } = await preview({ lists }, true);
      expect(choices.map((one) => [one.needs_confirmation, one.lists.map(({ list_id: id }) => id)])).toEqual([
        [false, [site.weekly.id]],
        [true, [site.offers.id]],
      ]);
    });
  });
});

async function linkTo(email: string): Promise<URL> {
  const mails = () =>
    mailServer.mails.filter((mail) => mail.to?.[0]?.address === email && mail.text?.includes('/confirm/'));
  await expect.poll(() => mails().length).toBe(1);
  return new URL(/https?:\S+\/confirm\/\S+/.exec(mails()[0]?.text ?? '')?.[0] ?? '');
}

it.each<[string, () => { customer: object; choice: PreviewedChoice }, string]>([
  [
    'everything with a list that is on',
    () => ({
      customer: { id: vera.id },
      choice: {
        lists: [{ notification_list_id: site.weekly.id, subscribed: true }],
        global_unsubscribe: true,
      },
    }),
    'choice.global_unsubscribe',
  ],
  [
    'a pause until a day that is too near',
    () => ({
      customer: { id: vera.id },
      choice: { pause_until: product.clock.now().toISOString().slice(0, 10) },
    }),
    'choice.pause_until',
  ],
  [
    'a pause that the team would choose',
    () => ({ customer: { id: vera.id }, choice: { pause_days: 30 }, on_behalf: true }),
    'on_behalf',
  ],
  [
    'a wrong recipient whom no email reaches',
    () => ({ customer: { email: 'nobody-yet@example.com' }, choice: { wrong_recipient: true } }),
    'customer.email',
  ],
])('%s answers 422 and names the field', async (_what, bodyOf, field) => {
  const refused = await product.refuse(
    previewChoice,
    { params: site.params, body: bodyOf() as never },
    site.owner,
  );
  expect(refused).toMatchObject({ status: 422, errors: [{ code: 'invalid_field', field }] });
});
