import { z } from 'zod';
import type { OAuth } from '#server/connectors/connector.ts';
import { selectAccount } from '#server/connectors/select-account.ts';
import { accounts, read } from './api.ts';
import { connectionTo } from './connection.ts';

export const oauth: OAuth = {
  addresses: () => ({
    authorize: 'https://www.getdrip.com/oauth/authorize',
    token: 'https://www.getdrip.com/oauth/token',
  }),
  takes: ['account_id'],
  authorizeWith: { response_type: 'code' },
  scopes: [],
  scopeSeparator: ' ',
  hasPkce: false,
  tokenCall: 'query',
  exchangeWith: { response_type: 'token' },
  // Tokens do not end.
  refreshWith: null,
  lifeSeconds: null,
  async learn({ answer, given, get }) {
    const { access_token } = read(z.object({ access_token: z.string() }), answer);
    const found = read(accounts, await get('https://api.getdrip.com/v2/accounts', `Bearer ${access_token}`));
    const wanted = given['account_id'];
    return { account_id: selectAccount(found.accounts, wanted, { tool: 'Drip', field: 'account_id' }) };
  },
  connect: (token, { account_id = '' }) => connectionTo(account_id, `Bearer ${token}`),
};
