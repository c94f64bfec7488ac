import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refuseWrongTlsMode } from './mail-server-check.ts';

/** With a certificate of its own that no one vouches for. */
const servers = {
  tls: new SMTPServer({ secure: true, authOptional: true }),
  starttls: new SMTPServer({ secure: false, authOptional: true }),
};

beforeAll(async () => {
  for (const server of Object.values(servers)) {
    server.on('error', () => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }
});

afterAll(async () => {
  for (const server of Object.values(servers)) await new Promise<void>((resolve) => server.close(resolve));
});

const portOf = (name: keyof typeof servers) => (servers[name].server.address() as AddressInfo).port;

const refused = (url: string) =>
  refuseWrongTlsMode(url).then(
    () => null,
    (error: unknown) => (error as Error).message,
  );

describe('a mail server', () => {
  it.each([
    ['smtps', 'tls'],
    ['smtp', 'starttls'],
  ] as const)('that answers %s: as it should lets Sayso start', async (scheme, name) => {
    expect(await refused(`${scheme}://user:pa55word@127.0.0.1:${portOf(name)}`)).toBeNull();
  });

  it('that expects TLS from the first byte stops a start with smtp://', async () => {
    const port = portOf('tls');
    expect(await refused(`smtp://user:pa55word@127.0.0.1:${port}`)).toBe(
      `SMTP_URL: 127.0.0.1 expects TLS from the first byte on port ${port}; write smtps:// instead of smtp://.`,
    );
  });

  it('that begins without TLS stops a start with smtps://', async () => {
    const port = portOf('starttls');
    expect(await refused(`smtps://user:pa55word@127.0.0.1:${port}`)).toBe(
      `SMTP_URL: 127.0.0.1 begins without TLS on port ${port} and changes to it (STARTTLS); write smtp:// instead of smtps://.`,
    );
  });

  it('that is away stops nothing, as emails wait for it', async () => {
    expect(await refused('smtp://127.0.0.1:9')).toBeNull();
    expect(await refused('smtps://127.0.0.1:9')).toBeNull();
    expect(await refused('')).toBeNull();
  });
});
