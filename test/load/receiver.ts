import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startBrevoFake } from '../fakes/tools/brevo.ts';

/* What deliveries are measured against, in a process of its own: an endpoint that takes everything, and a tool. */

const brevo = await startBrevoFake();
let calls = 0;
brevo.rule(() => {
  calls += 1;
  return null;
});
const endpoint = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(204).end());
});
await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
const { port } = endpoint.address() as AddressInfo;
process.on('disconnect', () => process.exit(0));
process.on('message', () => process.send?.(calls));
process.send?.({ endpoint: `http://127.0.0.1:${port}/`, tool: brevo.url, credentials: brevo.credentials });
