import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { ConfigError } from './config.ts';
import { beginsPlain, expectsTls, mailServerOf } from './connection-urls.ts';

/** A mail server that says nothing for so long may be slow, or may wait for TLS. The start doesn't wait longer for either. */
const SAYS_WITHIN_MS = 3000;

/** What the server says first, of itself: empty where it can't be reached. */
function openingOf(socket: Socket): Promise<string> {
  return new Promise<string>((resolve) => {
    socket.setTimeout(SAYS_WITHIN_MS, () => resolve(socket.connecting ? '' : 'silent'));
    socket.once('data', (chunk: Buffer) => resolve(chunk.toString('latin1')));
    socket.once('error', () => resolve(''));
    socket.once('close', () => resolve(''));
  }).finally(() => socket.destroy());
}

function speaksTls(server: { host: string; port: number }): Promise<boolean> {
  // Only the handshake counts here; the mailer checks the certificate.
  const socket = connectTls({ ...server, rejectUnauthorized: false });
  return new Promise<boolean>((resolve) => {
    socket.setTimeout(SAYS_WITHIN_MS, () => resolve(false));
    socket.once('secureConnect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  }).finally(() => socket.destroy());
}

const GREETING = /^220[ -]/;

async function problemOf(url: URL): Promise<string | null> {
  const server = mailServerOf(url);
  if (url.protocol === 'smtps:') {
    if (await speaksTls(server)) return null;
    const opening = await openingOf(connectPlain(server));
    return opening !== 'silent' && GREETING.test(opening) ? beginsPlain(url) : null;
  }
  const opening = await openingOf(connectPlain(server));
  return opening === 'silent' && (await speaksTls(server)) ? expectsTls(url) : null;
}

/**
 * Refuses to start when the mail server can be reached and answers only the other kind of connection. One that is away stops
 * nothing: emails wait for it.
 * @throws ConfigError
 */
export async function refuseWrongTlsMode(smtpUrl: string): Promise<void> {
  const url = smtpUrl === '' ? null : new URL(smtpUrl);
  // nodemailer takes settings of its own in the query; with this one, the scheme says nothing.
  if (url === null || url.searchParams.has('secure')) return;
  const problem = await problemOf(url);
  if (problem !== null) throw new ConfigError(`SMTP_URL: ${problem}.`);
}
