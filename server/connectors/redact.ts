import type { Connector, Credentials } from './connector.ts';

/** What stands where a secret was. */
const HIDDEN = '[hidden]';

/** Shorter ones would hide words; no tool gives out such keys. */
const MIN_LENGTH = 8;

/** Headers that say nothing about who we are. */
const PLAIN_HEADERS = new Set(['accept', 'content-type', 'user-agent']);

const forms = (secret: string) => [
  secret,
  encodeURIComponent(secret),
  new URLSearchParams([['', secret]]).toString().slice(1),
  JSON.stringify(secret).slice(1, -1),
  Buffer.from(secret, 'utf8').toString('base64'),
];

/** With and without the scheme before it. */
const partsOf = (header: string) => [header, ...header.split(' ').slice(1)];

/**
 * Takes what proves who we are out of texts: a tool's answer may tell us back what we sent.
 * @param headers those that authenticate
 */
export function redactor(
  { credentials: fields }: Pick<Connector, 'credentials'>,
  credentials: Credentials,
  headers: Readonly<Record<string, string>>,
): (text: string) => string {
  const secrets = fields.filter(({ secret }) => secret).map(({ name }) => credentials[name] ?? '');
  const sent = Object.entries(headers)
    .filter(([name]) => !PLAIN_HEADERS.has(name.toLowerCase()))
    .flatMap(([, value]) => partsOf(value));
  const hidden = [...new Set([...secrets, ...sent].filter((one) => one.length >= MIN_LENGTH).flatMap(forms))];
  // The longest first: what holds another one goes whole.
  const longestFirst = hidden.toSorted((one, other) => other.length - one.length);
  return (text) => longestFirst.reduce((left, secret) => left.replaceAll(secret, HIDDEN), text);
}
