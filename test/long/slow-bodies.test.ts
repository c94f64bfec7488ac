import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildWorld, type World } from '#test/harness/world.ts';

/** Longer than a body of JSON may take. */
const SECONDS = 17;

let product: TestProduct;
let acme: World;

beforeAll(async () => {
  product = await startTestProduct();
  acme = await buildWorld(product);
});

afterAll(() => product.stop());

function begin(path: string, type: string, length: number): { socket: Socket; answer: () => string } {
  const { port, host } = new URL(product.url);
  const socket = connect(Number(port), '127.0.0.1');
  let answer = '';
  socket.on('data', (bytes) => {
    answer += bytes.toString();
  });
  socket.on('error', () => {});
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${acme.owner.token}\r\n` +
      `content-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`,
  );
  return { socket, answer: () => answer };
}

it('a connection that stalls while sending JSON is closed; a file may take its time', async () => {
  const { organization_id: organization, site_id: site } = acme.params;
  const slow = begin('/api/core/v1/users', 'application/json', 100);
  slow.socket.write('{');
  const rows = Array.from(
    { length: SECONDS },
    (_, at) => `nora-${String(at).padStart(2, '0')}@example.com\n`,
  );
  const text = `email\n${rows.join('')}`;
  const path = `/api/core/v1/organizations/${organization}/sites/${site}/imports/files?file_name=a.csv`;
  const upload = begin(path, 'text/csv', text.length);
  upload.socket.write('email\n');
  for (const row of rows) {
    await sleep(1000);
    upload.socket.write(row);
  }
  await expect.poll(() => slow.socket.destroyed, { timeout: 10_000 }).toBe(true);
  await expect.poll(upload.answer, { timeout: 10_000 }).toContain('HTTP/1.1 201 Created');
  upload.socket.destroy();
});
