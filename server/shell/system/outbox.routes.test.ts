import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resetPassword, updateAccount } from '#contract/accounts.ts';
import { getAppSettings } from '#contract/app-settings.ts';
import { rawRequest } from '#test/harness/http.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildOwner } from '#test/harness/world.ts';

let product: TestProduct;

beforeAll(async () => {
  product = await startTestProduct();
});

afterAll(() => product.stop());

describe('without a mail server', () => {
  it('emails are stored and shown at /dev/outbox, with names as text', async () => {
    expect((await product.call(getAppSettings, {})).outbox_url).toBe(`${product.url}/dev/outbox`);
    expect((await rawRequest(product, 'GET', '/dev/outbox')).text).toContain('No emails yet');
    const nora = await buildOwner(product);
    await product.call(updateAccount, { params: { id: nora.id }, body: { username: '<b>nora</b>' } }, nora);
    await product.call(resetPassword, { body: { email: nora.email } });
    const mailLink = async () =>
      /\/dev\/outbox\/[\w-]+/.exec((await rawRequest(product, 'GET', '/dev/outbox')).text)?.[0];
    await expect.poll(mailLink).toBeDefined();
    const mail = await rawRequest(product, 'GET', (await mailLink()) ?? '');
    expect(mail.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(mail.text).toContain(`${product.url}/reset-password?token=`);
    expect(mail.text).not.toContain('<b>nora</b>');
  });

  it('attachments can be downloaded from the list', async () => {
    await product.services.mailer.send({
      to: 'nora@example.com',
      subject: 'With a file',
      html: '<p>See the file</p>',
      text: 'See the file',
      attachments: [{ name: '"><b>.json', type: 'application/json', content: '{"a":"ä"}' }],
    });
    const { text } = await rawRequest(product, 'GET', '/dev/outbox');
    const data = /href="data:application\/json;base64,([^"]+)"/.exec(text)?.[1] ?? '';
    expect(Buffer.from(data, 'base64').toString('utf8')).toBe('{"a":"ä"}');
    expect(text).not.toContain('<b>');
  });

  it.each(['01900000-0000-7000-8000-000000000000', 'x', "'"])(
    'the email %s does not exist: 404',
    async (id) => {
      expect((await rawRequest(product, 'GET', `/dev/outbox/${id}`)).status).toBe(404);
    },
  );
});

describe('in production', () => {
  it('the outbox is hidden', async () => {
    const live = await startTestProduct({ env: { NODE_ENV: 'production' } });
    try {
      expect((await rawRequest(live, 'GET', '/dev/outbox')).text).not.toContain('Outbox');
      expect((await live.call(getAppSettings, {})).outbox_url).toBeNull();
    } finally {
      await live.stop();
    }
  });
});
