import { z } from 'zod';
import { defineRoute } from './route.ts';

export const appSettings = z
  .object({
    app_url: z.string(),
    site_domain: z.string().describe('Suffix of every site host, e.g. `acme.{site_domain}`.'),
    docs_url: z.string(),
    feature_request_url: z.string(),
    google_client_id: z.string().nullable(),
    sign_in_host: z
      .string()
      .nullable()
      .describe("Host of an issuer other than Google, used with a redirect; null: Google's popup."),
    sends_email: z
      .boolean()
      .describe('Whether a mail server is set. Without one, no emails are sent; see `outbox_url`.'),
    outbox_url: z
      .string()
      .nullable()
      .describe('Where to read the emails that this server stores because it has no mail server; else null.'),
    chat: z.object({ script_url: z.string(), website_token: z.string() }).nullable(),
  })
  .meta({ id: 'AppSettings' });

export type AppSettings = z.infer<typeof appSettings>;

export const getAppSettings = defineRoute({
  method: 'GET',
  path: '/core/v1/app-settings',
  access: 'anyone',
  tag: 'Accounts',
  summary: 'Read the public settings of the dashboard',
  status: 200,
  response: appSettings,
});
