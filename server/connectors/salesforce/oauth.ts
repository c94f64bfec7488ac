import { z } from 'zod';
import type { OAuth } from '#server/connectors/connector.ts';
import { readerOf } from '#server/connectors/reader.ts';
import { SESSION_SECONDS } from './api.ts';
import { connectionTo } from './connection.ts';

const { value: read } = readerOf('Salesforce');

const instance = z.object({
  // Every call of the integration goes there (A1).
  instance_url: z.string().regex(/^https:\/\/[a-z0-9-]+(\.[a-z0-9-]+)*\.(salesforce|force)\.com\/?$/),
});

export const oauth: OAuth = {
  // Without a My Domain URL: of production. A sandbox is reached only by its own.
  addresses({ my_domain_url = 'https://login.salesforce.com' }) {
    const host = my_domain_url.replace(/\/$/, '');
    return {
      authorize: `${host}/services/oauth2/authorize`,
      token: `${host}/services/oauth2/token`,
    };
  },
  takes: ['my_domain_url'],
  authorizeWith: { response_type: 'code' },
  scopes: ['api', 'refresh_token', 'id'],
  scopeSeparator: ' ',
  hasPkce: true,
  tokenCall: 'form',
  refreshWith: ['client'],
  // No answer tells it, and an organization may set it.
  lifeSeconds: SESSION_SECONDS,
  learn: ({ answer }) => ({ my_domain_url: read(instance, answer).instance_url.replace(/\/$/, '') }),
  connect(token, { my_domain_url = '' }) {
    const { baseUrl, headers } = connectionTo(my_domain_url);
    return { baseUrl, headers: { ...headers, authorization: `Bearer ${token}` } };
  },
};
