import PostalMime, { type Address, decodeWords, type Email } from 'postal-mime';

/** A header field as it stands in an email, its value unfolded, and decoded where it has encoded-words (RFC 2047). */
export interface HeaderField {
  /** In lower case. */
  name: string;
  value: string;
}

export interface RawEmail {
  /** With CRLF line ends, as it was signed. */
  bytes: Buffer;
  /** In their order, doubled ones too. */
  fields: readonly HeaderField[];
  subject: string | null;
  from: string[];
  /** Every receiver that the headers name. */
  to: string[];
  html: string | null;
  text: string | null;
}

/** Why something cannot be read as an email. */
export type RawEmailProblem = 'empty' | 'no_headers' | 'headers_too_large' | 'too_many_lines' | 'unreadable';

/** Real emails have up to some 60 KB, with the stamps of several filters. */
const MAX_HEADER_BYTES = 256 * 1024;
/** Unfolding takes the square of their number. */
const MAX_HEADER_LINES = 4000;
/** An attachment of 2 MB has 28,000. Each costs `mailauth` some time, as a chunk of its own. */
const MAX_LINES = 60_000;
const MAX_DEPTH = 64;
const FIELD = /^[!-9;-~]+[ \t]*:/;

/**
 * Undoes what copying does to an email: a byte order mark, blank lines before it, the "From " line of mailbox files, and
 * line ends of another system.
 */
function asSent(bytes: Buffer): Buffer {
  let text = bytes.toString('latin1');
  if (text.startsWith('\u00ef\u00bb\u00bf')) text = text.slice(3);
  text = text.replaceAll('\r\n', '\n');
  let start = 0;
  while (text[start] === '\n' || text[start] === ' ' || text[start] === '\t') start++;
  if (/^>?From /.test(text.slice(start, start + 6))) {
    const end = text.indexOf('\n', start);
    start = end < 0 ? text.length : end + 1;
  }
  return Buffer.from(text.slice(start).replaceAll('\n', '\r\n'), 'latin1');
}

function countLines(bytes: Buffer): number {
  let lines = 1;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines++;
  return lines;
}

function problemOf(bytes: Buffer): RawEmailProblem | null {
  const end = bytes.indexOf('\r\n\r\n');
  const size = end < 0 ? bytes.length : end;
  if (size > MAX_HEADER_BYTES) return 'headers_too_large';
  const lines = bytes.toString('latin1', 0, size).split('\r\n');
  if (lines.length > MAX_HEADER_LINES) return 'headers_too_large';
  // Some text with a colon in it is no email.
  const names = lines.filter((line) => FIELD.test(line)).map((line) => line.slice(0, 5).toLowerCase());
  if (!FIELD.test(lines[0] ?? '') || !names.includes('from:')) return 'no_headers';
  return countLines(bytes) > MAX_LINES ? 'too_many_lines' : null;
}

/** Tools fold inside encoded-words, and encode fields that need not be. */
function decoded(value: string): string {
  return decodeWords(value)
    .replaceAll(/[\s\0]+/g, ' ')
    .trim();
}

function addressesOf(addresses: readonly Address[]): string[] {
  return addresses
    .flatMap((one) => ('group' in one && one.group ? one.group : [one]))
    .flatMap(({ address }) => (address === undefined || address === '' ? [] : [address]));
}

/**
 * Reads an email as it was received, with all its headers. Attached emails stay attachments.
 * @returns its parts, or why it cannot be read
 */
export async function readRawEmail(received: Buffer): Promise<RawEmail | RawEmailProblem> {
  const bytes = asSent(received);
  if (bytes.length === 0) return 'empty';
  const problem = problemOf(bytes);
  if (problem !== null) return problem;
  let email: Email;
  try {
    email = await PostalMime.parse(bytes, { forceRfc822Attachments: true, maxNestingDepth: MAX_DEPTH });
  } catch {
    return 'unreadable';
  }
  const fields = email.headers.map(({ key, value }) => ({ name: key, value: decoded(value) }));
  const delivered = fields
    .filter(({ name }) => name === 'delivered-to' || name === 'x-original-to')
    .map(({ value }) => value.replaceAll(/[<>]/g, ''));
  return {
    bytes,
    fields,
    subject: email.subject ?? null,
    from: addressesOf(email.from ? [email.from] : []),
    to: [...addressesOf([...(email.to ?? []), ...(email.cc ?? [])]), ...delivered],
    html: email.html ?? null,
    text: email.text ?? null,
  };
}

/** The values of a field, as often as the email has it. @param name in lower case */
export function valuesOf(email: Pick<RawEmail, 'fields'>, name: string): string[] {
  return email.fields.filter((field) => field.name === name).map(({ value }) => value);
}
