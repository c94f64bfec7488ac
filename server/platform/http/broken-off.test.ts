import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { createLog } from '#server/platform/log.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildWorld } from '#test/harness/world.ts';

interface Line {
  level: number;
  msg: string;
  route?: string;
}

function dial({ url }: TestProduct): Socket {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => {});
  return socket;
}

/** Sends the head of a request and a part of its body. */
async function begin(product: TestProduct, head: string[]): Promise<Socket> {
  const socket = dial(product);
  const lines = [...head, 'content-length: 100000', '', 'email\nvera@example.com\n'];
  await new Promise<void>((sent) => {
    socket.write(lines.join('\r\n'), () => sent());
  });
  return socket;
}

it('an upload that breaks off is logged as such, and not as a fault of ours or of the database', async () => {
  const lines: Line[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(JSON.parse(line) as Line) });
  const product = await startTestProduct({ log });
  const { owner, params, page, site } = await buildWorld(product);
  const base = `/api/core/v1/organizations/${params.organization_id}/sites/${params.site_id}`;
  const app = [`host: ${new URL(product.url).host}`, `authorization: Bearer ${owner.token}`];
  const uploads = [
    [`POST ${base}/imports/files?file_name=a.csv HTTP/1.1`, ...app, 'content-type: text/csv'],
    [`POST ${base}/email-checks HTTP/1.1`, ...app, 'content-type: message/rfc822'],
    [`POST ${base}/lists HTTP/1.1`, ...app, 'content-type: application/json'],
    [
      `POST /${page.custom_path} HTTP/1.1`,
      `host: ${site.domain_name}:${product.services.config.port}`,
      'content-type: application/x-www-form-urlencoded',
    ],
  ];
  for (const [index, head] of uploads.entries()) {
    const socket = await begin(product, head);
    // It has begun to read once it answers a later request.
    await fetch(`${product.url}/healthz`);
    socket.destroy();
    await expect.poll(() => lines.filter(({ msg }) => msg === 'broke off')).toHaveLength(index + 1);
  }
  await product.stop();
  expect(lines.filter(({ level }) => level >= 50)).toEqual([]);
  expect(lines.flatMap(({ msg, route }) => (msg === 'broke off' ? [route?.split('/').at(-1)] : []))).toEqual([
    'files',
    'email-checks',
    'lists',
    ':custom_path',
  ]);
});

it('headers that do not end are answered with 408, and their connection ends though the client keeps it open', async () => {
  const product = await startTestProduct();
  const { server } = product.http;
  server.headersTimeout = 100;
  const socket = dial(product);
  let answer = '';
  socket.on('data', (bytes) => {
    answer += bytes.toString();
  });
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
  });
  socket.write(`GET /healthz HTTP/1.1\r\nhost: ${new URL(product.url).host}\r\n`);
  const writing = setInterval(() => socket.write('x-more: 1\r\n'), 20);
  await closed;
  clearInterval(writing);
  expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  await product.stop();
});
