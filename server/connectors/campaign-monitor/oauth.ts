import { z } from 'zod';
import type { OAuth } from '#server/connectors/connector.ts';
import { selectAccount } from '#server/connectors/select-account.ts';
import { readerOf } from '#server/connectors/reader.ts';
import { clients } from './api.ts';

const { value: read } = readerOf('Campaign Monitor');

export const BASE_URL = 'https://api.createsend.com/api/v3.3';

export const oauth: OAuth = {
  addresses: () => ({
    authorize: 'https://api.createsend.com/oauth',
    token: 'https://api.createsend.com/oauth/token',
  }),
  takes: ['client_id'],
  authorizeWith: { type: 'web_server' },
  scopes: ['ManageLists', 'ImportSubscribers', 'ViewReports', 'ViewSubscribersInReports'],
  scopeSeparator: ',',
  hasPkce: false,
  tokenCall: 'form',
  refreshWith: [],
  lifeSeconds: 1_209_600,
  async learn({ answer, given, get }) {
    const { access_token } = read(z.object({ access_token: z.string() }), answer);
    const found = read(clients, await get(`${BASE_URL}/clients.json`, `Bearer ${access_token}`));
    const accounts = found.map(({ ClientID, Name }) => ({ id: ClientID.toLowerCase(), name: Name }));
    const wanted = given['client_id']?.toLowerCase();
    return { client_id: selectAccount(accounts, wanted, { tool: 'Campaign Monitor', field: 'client_id' }) };
  },
  connect: (token, { client_id = '' }) => ({
    baseUrl: BASE_URL,
    headers: { authorization: `Bearer ${token}` },
    account: client_id,
  }),
};
