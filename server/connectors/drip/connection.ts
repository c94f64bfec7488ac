import type { Connection } from '#server/connectors/connector.ts';

export function connectionTo(accountId: string, authorization: string): Connection {
  return {
    baseUrl: `https://api.getdrip.com/v2/${accountId}`,
    headers: { authorization, 'user-agent': 'Sayso (email preference centre)' },
  };
}
