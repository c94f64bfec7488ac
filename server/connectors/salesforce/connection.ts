import type { Connection } from '#server/connectors/connector.ts';

export function connectionTo(host: string): Connection {
  return {
    baseUrl: host,
    // A duplicate rule that only warns does not stop a change of ours (A2).
    headers: { 'sforce-duplicate-rule-header': 'allowSave=true' },
  };
}
