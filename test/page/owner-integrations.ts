import type { Integration } from '#contract/integrations.ts';
import type { AnsweredCall, OwnerShot, OwnerWindow } from './owner-shot.ts';
import type { OwnerWorld } from './owner-world.ts';

/** A tool that takes no webhook from us. */
const unheard = (id: string): Integration => ({
  id,
  provider: 'mailchimp',
  name: 'Mailchimp',
  account_name: 'Acme Mailings',
  same_account_as: [],
  connected_by: 'credentials',
  status: 'connected',
  status_reason: null,
  failing_since: null,
  rests_until: null,
  webhook_url: 'https://sayso.example/hooks/019ab1f2-5c1e-7a51-b02d-6f0f5a3d9e50/secret',
  webhook_setup: 'In Mailchimp, for each audience: Audience > Settings > Webhooks > Create New Webhook.',
  webhook_state: 'missing',
  webhook_checked_at: '2026-11-21T03:12:00.000Z',
  webhook_reason: 'Mailchimp takes no webhook from us (403): Your plan has none left.',
  has_webhook_secret: false,
  link_field: null,
  created_at: '2026-11-20T10:00:00.000Z',
  updated_at: '2026-11-20T10:00:00.000Z',
});

const setUp = (page: OwnerWindow) => page.getByRole('button', { name: 'Set up now' });

/** The integration is as told here, and to set its webhook up comes to `then`. */
const withUnheard =
  (id: string, then: (page: OwnerWindow) => Promise<unknown>, status = 200) =>
  async (page: OwnerWindow) => {
    await page.route(/\/integrations\/[\da-f-]+(?:\/webhook)?$/, (call) =>
      call.fulfill(
        call.request().method() === 'POST' && status !== 200
          ? { status, json: { message: 'We made a mistake.', data: null, meta: { errors: [] } } }
          : { json: unheard(id) },
      ),
    );
    await page.reload();
    await setUp(page).waitFor();
    await then(page);
  };

interface NewKey {
  credentials: { api_key: string };
  other_account?: true;
}

/** What the tool makes of a new key: each is of an account of its own, and none may take the place of the connected one unasked. */
const answerTo =
  (id: string) =>
  (call: AnsweredCall): Promise<unknown> => {
    if (call.request().method() !== 'PATCH') return call.fulfill({ json: unheard(id) });
    const { credentials, other_account: isAgreed } = JSON.parse(call.request().postData() ?? '') as NewKey;
    if (isAgreed) return call.fulfill({ json: { ...unheard(id), account_name: credentials.api_key } });
    const error = { code: 'other_tool_account', message: 'These credentials are of another account.' };
    const data = { account_name: `Account of ${credentials.api_key}` };
    return call.fulfill({ status: 409, json: { message: error.message, data, meta: { errors: [error] } } });
  };

const switchTo = (page: OwnerWindow, key: string) =>
  page.getByRole('checkbox', { name: `Switch to “Account of ${key}”` });

async function save(page: OwnerWindow, key: string): Promise<void> {
  await page.getByLabel('API key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Save API key' }).click();
}

/** Someone enters the key of another account, and goes on with `then`. */
const withOtherAccount =
  (id: string, then: (page: OwnerWindow) => Promise<unknown>) => async (page: OwnerWindow) => {
    await page.route(/\/integrations\/[\da-f-]+$/, answerTo(id));
    await page.reload();
    await page.getByRole('button', { name: 'Enter a new API key' }).click();
    await save(page, 'dealers-us1');
    await switchTo(page, 'dealers-us1').waitFor();
    await then(page);
  };

/** New credentials turn out to be of another account. */
export function otherAccountShots({ shop: { integration } }: OwnerWorld): OwnerShot[] {
  const path = `/integrations/${integration}?tab=settings`;
  const screen = { name: 'credentials of another account', path, who: 'shop', isInWindow: true } as const;
  return [
    {
      ...screen,
      state: 'refused',
      reach: withOtherAccount(integration, async () => {}),
    },
    {
      ...screen,
      state: 'agreed to',
      reach: withOtherAccount(integration, async (page) => {
        await switchTo(page, 'dealers-us1').check({ force: true });
        await page.getByRole('button', { name: 'Save API key' }).click();
        await page.getByText('connected again', { exact: false }).waitFor();
      }),
    },
    {
      ...screen,
      state: 'of a third account, after another was agreed to',
      reach: withOtherAccount(integration, async (page) => {
        await switchTo(page, 'dealers-us1').check({ force: true });
        await save(page, 'press-us1');
        await switchTo(page, 'press-us1').waitFor();
      }),
    },
  ];
}

/** An integration that sends, and to which nothing comes back. */
export function unheardShots({ shop: { integration } }: OwnerWorld): OwnerShot[] {
  const screen = { name: 'an integration', path: `/integrations/${integration}`, who: 'shop' } as const;
  return [
    { ...screen, state: 'unheard', reach: withUnheard(integration, async () => {}) },
    {
      ...screen,
      state: 'unheard, and no webhook set up',
      reach: withUnheard(
        integration,
        async (page) => {
          await setUp(page).click();
          await page.getByRole('alert').waitFor();
        },
        500,
      ),
    },
  ];
}
