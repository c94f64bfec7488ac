import type { Integration } from '#contract/integrations.ts';
import type { OwnerShot, OwnerWindow } from './owner-shot.ts';
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
