import { createServer, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readEmail } from '#contract/email-address.ts';
import { systemClock } from './clock.ts';
import type { Config } from './config.ts';
import type { Database } from './database.ts';
import { createMailer } from './mail.ts';

/** What a mail server is told, line by line: the one for other tests doesn't take quotes in addresses. */
const lines: string[] = [];

const server = createServer((socket) => {
  let isMessage = false;
  const answer = (text: string) => socket.write(`${text}\r\n`);
  answer('220 mail.acme.example');
  createInterface(socket).on('line', (line) => {
    lines.push(line);
    if (isMessage && line !== '.') return;
    isMessage = line === 'DATA';
    if (line.startsWith('EHLO')) answer('250-mail.acme.example\r\n250 SMTPUTF8');
    else if (line === 'QUIT') socket.end('221 Bye\r\n');
    else answer(isMessage ? '354 Go on' : '250 OK');
  });
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));

beforeEach(() => {
  lines.length = 0;
});

afterAll(() => {
  server.close();
});

describe('an email', () => {
  it.each([
    ['Acme, Inc. <news@acme.example>', '"Acme, Inc." <news@acme.example>'],
    ['"Acme, Inc." <news@acme.example>', '"Acme, Inc." <news@acme.example>'],
    ['news@acme.example', 'news@acme.example'],
  ])('has one sender with MAIL_FROM=%s', async (mailFrom, header) => {
    const { port } = server.address() as AddressInfo;
    const settings = { smtpUrl: `smtp://127.0.0.1:${port}`, mailFrom, bounceAddress: '' };
    const mailer = createMailer(settings as Config, {} as Database, systemClock);
    await mailer.send({ to: 'a@example.com', subject: 'Hello', html: '<p>Hello</p>', text: 'Hello' });
    expect(lines.filter((line) => line.startsWith('MAIL FROM'))).toEqual(['MAIL FROM:<news@acme.example>']);
    expect(lines.filter((line) => line.startsWith('From:'))).toEqual([`From: ${header}`]);
  });

  it.each([
    ["o'brien+news@example.com", null],
    ['foo..bar@docomo.example', '"foo..bar"@docomo.example'],
    ['foo.@ezweb.example', '"foo."@ezweb.example'],
    ['"john doe"@example.com', null],
    ['"ben@example.org, eve"@example.com', null],
    [String.raw`"a\"b\\c"@example.com`, null],
    ['user@[192.0.2.1]', null],
    ['user@münchen.example', 'user@xn--mnchen-3ya.example'],
    ['c@βόλος.example', 'c@xn--nxasmm1c.example'],
    ['หนึ่ง@ตัวอย่าง.example', null],
  ])('to %s goes to this mailbox alone, whoever gets the bounces', async (to, sentTo) => {
    expect(readEmail(to)).toBe(to);
    const { port } = server.address() as AddressInfo;
    const settings = { smtpUrl: `smtp://127.0.0.1:${port}`, mailFrom: 'Acme <news@acme.example>' };
    for (const bounceAddress of ['', 'bounces@acme.example']) {
      const mailer = createMailer({ ...settings, bounceAddress } as Config, {} as Database, systemClock);
      await mailer.send({ to, replyTo: to, subject: 'Hello', html: '<p>Hello</p>', text: 'Hello' });
    }
    expect(lines.filter((line) => line.startsWith('RCPT'))).toEqual(
      Array<string>(2).fill(`RCPT TO:<${sentTo ?? to}>`),
    );
    const headers = lines.filter((line) => /^(?:To|Reply-To|Cc|Bcc):/i.test(line));
    expect(headers).toHaveLength(4);
    for (const header of headers) expect(header.replace(/[<>]/g, '')).toMatch(/^(?:To|Reply-To): \S/);
    expect(lines.filter((line) => line.startsWith('MAIL')).map((line) => line.split(' ')[1])).toEqual([
      'FROM:<news@acme.example>',
      'FROM:<bounces@acme.example>',
    ]);
  });
});
