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
      .describe(
        'Host of another issuer than Google, to which sign-in goes by redirect; null: Google’s popup.',
      ),
    sends_email: z
      .boolean()
      .describe('Is a mail server set? Without one, no email reaches anybody; see `outbox_url`.'),
    outbox_url: z
      .string()
      .nullable()
      .describe('Where mails are shown that this server keeps, because no mail server is set; else null.'),
    chat: z.object({ script_url: z.string(), website_token: z.string() }).nullable(),
  })
  .meta({ id: 'AppSettings' });

export type AppSettings = z.infer<typeof appSettings>;

export const getAppSettings = defineRoute({
  method: 'GET',
  path: '/core/v1/app-settings',
  access: 'anyone',
  tag: 'Accounts',
  summary: 'What the dashboard has to know before anyone logs in',
  status: 200,
  response: appSettings,
});
