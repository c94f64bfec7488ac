import { z } from 'zod';
import type { OAuth } from '#server/connectors/connector.ts';
import { readerOf } from '#server/connectors/reader.ts';

const { value: read } = readerOf('Mailchimp');

const metadata = z.object({
  // Calls go to a host that is made of it: only a data centre's name may become part of one.
  api_endpoint: z.string().regex(/^https:\/\/[a-z]{2,4}\d{1,3}\.api\.mailchimp\.com\/?$/),
  user_id: z.union([z.string(), z.number()]).transform(String).nullish(),
});

export const oauth: OAuth = {
  addresses: () => ({
    authorize: 'https://login.mailchimp.com/oauth2/authorize',
    token: 'https://login.mailchimp.com/oauth2/token',
  }),
  takes: [],
  authorizeWith: { response_type: 'code' },
  scopes: [],
  scopeSeparator: ' ',
  hasPkce: false,
  tokenCall: 'form',
  // Tokens do not end.
  refreshWith: null,
  lifeSeconds: null,
  async learn({ answer, get }) {
    const { access_token } = read(z.object({ access_token: z.string() }), answer);
    const found = read(
      metadata,
      await get('https://login.mailchimp.com/oauth2/metadata', `OAuth ${access_token}`),
    );
    return {
      api_endpoint: found.api_endpoint.replace(/\/$/, ''),
      ...(found.user_id ? { user_id: found.user_id } : {}),
    };
  },
  connect: (token, { api_endpoint = '' }) => ({
    baseUrl: `${api_endpoint}/3.0`,
    headers: { authorization: `Bearer ${token}` },
  }),
};
