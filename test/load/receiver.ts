import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startSalesforceFake } from '../fakes/tools/salesforce.ts';

/* What deliveries are measured against, in a process of its own: an endpoint that takes everything, and a tool. */

const people = Number(process.argv[2]);
const tool = await startSalesforceFake();
for (let index = 0; index < people; index += 1) tool.addContact(`person-${index}@example.com`);
let calls = 0;
tool.rule(() => {
  calls += 1;
  return null;
});
const { access_token: token } = (await (
  await fetch(`${tool.url}/services/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: String(tool.credentials['client_id']),
      client_secret: String(tool.credentials['client_secret']),
    }),
  })
).json()) as { access_token: string };
const endpoint = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(204).end());
});
await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
const { port } = endpoint.address() as AddressInfo;
process.on('disconnect', () => process.exit(0));
process.on('message', () => process.send?.(calls));
process.send?.({
  endpoint: `http://127.0.0.1:${port}/`,
  tool: tool.url,
  token,
  credentials: tool.credentials,
});
