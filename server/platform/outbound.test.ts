import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { createOutbound, type Outbound, STATUS_ONLY } from './outbound.ts';

let receiver: WebhookReceiver;
let outbound: Outbound;
let impatient: Outbound;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  // Some networks take seconds to say that there is no such name.
  outbound = createOutbound({ allowPrivateTargets: true, deadlineMs: 25_000 });
  impatient = createOutbound({ allowPrivateTargets: true, deadlineMs: 250 });
});

afterAll(async () => {
  outbound.close();
  impatient.close();
  await receiver.close();
});

function send(url = receiver.url, by = outbound) {
  return by.send({ method: 'POST', url, headers: { 'x-test': 'yes' }, body: 'größe' });
}

describe('an outgoing request', () => {
  it('carries its headers and its body, and returns the response', async () => {
    receiver.answerWith({ status: 201, headers: { 'x-answer': 'ok' }, body: 'ü' });
    expect(await send()).toMatchObject({ status: 201, headers: { 'x-answer': 'ok' }, body: 'ü' });
    expect(receiver.received.at(-1)).toMatchObject({
      body: 'größe',
      headers: { 'x-test': 'yes', 'user-agent': 'Sayso/1', 'content-length': '7' },
    });
  });

  it('returns a response that can be stored, also once it is parsed', async () => {
    receiver.answerWith({ status: 200, body: '{"a":"\0\\u0000","b":"\\ud800"}' });
    expect(JSON.parse((await send()).body)).toEqual({ a: '\ufffd\ufffd', b: '\ufffd' });
  });

  it('does not follow a redirect', async () => {
    receiver.answerWith({ status: 307, headers: { location: receiver.url } });
    const before = receiver.received.length;
    expect((await send()).status).toBe(307);
    expect(receiver.received.length).toBe(before + 1);
  });

  it.each(['hang', 'endless'] as const)('ends at its deadline when the receiver %ss', async (answer) => {
    receiver.answerWith(answer);
    await expect(send(receiver.url, impatient)).rejects.toMatchObject({ kind: 'timeout' });
  });

  it('ends when the response is larger than 64 kB, and accepts a smaller one', async () => {
    receiver.answerWith({ status: 200, body: 'x'.repeat(64 * 1024) });
    expect((await send()).body).toHaveLength(64 * 1024);
    receiver.answerWith({ status: 200, body: 'x'.repeat(64 * 1024 + 1) });
    await expect(send()).rejects.toMatchObject({ kind: 'too_large' });
  });

  it('of which the status counts ends with what has come of the body', async () => {
    const sendFor = (by: Outbound) =>
      by.send({ method: 'POST', url: receiver.url, headers: {}, body: '' }, STATUS_ONLY);
    receiver.answerWith({ status: 200, body: 'x'.repeat(64 * 1024 + 1) });
    const large = await sendFor(outbound);
    expect([large.status, large.body.length, large.isWhole]).toEqual([200, 64 * 1024, false]);
    receiver.answerWith('broken');
    expect(await sendFor(outbound)).toMatchObject({ status: 200, body: 'half', isWhole: false });
    receiver.answerWith('endless');
    expect(await sendFor(impatient)).toMatchObject({ status: 200, isWhole: false });
    receiver.answerWith({ status: 200, body: 'ok' });
    expect(await sendFor(outbound)).toMatchObject({ status: 200, body: 'ok', isWhole: true });
    receiver.answerWith('hang');
    await expect(sendFor(impatient)).rejects.toMatchObject({ kind: 'timeout' });
    expect(impatient.load()).toMatchObject({ waiting: 0 });
  });

  it('reports a missing connection, an unknown name, and a response that is not HTTP', async () => {
    await expect(send('http://127.0.0.1:9/')).rejects.toMatchObject({ kind: 'unreachable' });
    await expect(send('http://name.invalid/')).rejects.toMatchObject({ kind: 'unreachable' });
    for (const answer of ['cut', 'garbage'] as const) {
      receiver.answerWith(answer);
      await expect(send()).rejects.toMatchObject({ kind: 'unreachable' });
    }
  });

  it('to a name with a private address among its public ones is refused before it connects', async () => {
    const both = [
      { address: '203.0.114.7', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ];
    const guarded = createOutbound({
      allowPrivateTargets: false,
      deadlineMs: 250,
      lookup: (_host, _options, done) => done(null, both),
    });
    const { port } = new URL(receiver.url);
    await expect(send(`http://shop.example:${port}/`, guarded)).rejects.toMatchObject({ kind: 'blocked' });
    guarded.close();
  });

  it('to a private address is blocked before it connects', async () => {
    const guarded = createOutbound({ allowPrivateTargets: false });
    const before = receiver.received.length;
    const port = new URL(receiver.url).port;
    for (const host of [
      '127.0.0.1',
      'localhost',
      '10.1.2.3',
      '169.254.169.254',
      '[::1]',
      '[fd00::1]',
      '100.64.0.1',
    ]) {
      const url = `http://${host}:${port}/`;
      await expect(guarded.send({ method: 'POST', url, headers: {}, body: '' })).rejects.toMatchObject({
        kind: 'blocked',
      });
    }
    expect(receiver.received.length).toBe(before);
    guarded.close();
  });
});
