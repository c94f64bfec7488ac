import { expect, it } from 'vitest';
import { campaignMonitor } from './campaign-monitor/index.ts';
import { mailchimp } from './mailchimp/index.ts';
import { redactor } from './redact.ts';

const KEY = '0123456789abcdef0123456789abcdef-us19';

it('redacting hides secrets and every form of authentication, and nothing else', () => {
  const hide = redactor(
    mailchimp,
    { api_key: KEY },
    { authorization: `Bearer ${KEY}`, accept: 'application/json' },
  );
  expect(hide(`You sent Bearer ${KEY}, application/json`)).toBe('You sent [hidden], application/json');
  expect(hide(Buffer.from(KEY).toString('base64'))).toBe('[hidden]');
  expect(hide('{"id":"a000000001"}')).toBe('{"id":"a000000001"}');
});

it('redacting hides a key with special characters in addresses, forms and JSON, and the header made from it', () => {
  const credentials = { api_key: 'k/0123456789+0123456789==', client_id: '4a397ccaaa55eb4e6aa1221e1e2d7122' };
  const { headers } = campaignMonitor.connect(credentials);
  const hide = redactor(campaignMonitor, credentials, headers);
  const told = [credentials.api_key, encodeURIComponent(credentials.api_key), headers['authorization'] ?? ''];
  for (const text of told) expect(hide(`<${text}>`)).toBe('<[hidden]>');
  expect(hide(credentials.client_id)).toBe(credentials.client_id);
});

it('redacting hides the token that the credentials were exchanged for', () => {
  const hide = redactor(mailchimp, { api_key: KEY }, { authorization: 'Bearer 00Dtoken!0123456789' });
  expect(hide('{"was":"00Dtoken!0123456789"}')).toBe('{"was":"[hidden]"}');
});
