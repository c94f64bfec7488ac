import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { startTestProduct } from '#test/harness/product.ts';

it('stopping does not wait for connections on which nobody sends anything, as browsers open them ahead', async () => {
  const product = await startTestProduct();
  const socket = connect(Number(new URL(product.url).port), '127.0.0.1');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await new Promise((resolve) => socket.once('connect', resolve));
  const began = performance.now();
  await product.stop();
  expect(performance.now() - began).toBeLessThan(15_000);
  await closed;
});
