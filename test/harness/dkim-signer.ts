import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export interface DkimKey {
  privateKey: KeyObject;
  /** The TXT record of `<selector>._domainkey.<domain>`, in parts. */
  record: string[];
}

/** @param bits of an RSA key */
export function dkimKey(bits = 2048): DkimKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: bits });
  const der = publicKey.export({ type: 'spki', format: 'der' });
  const record = `v=DKIM1; k=rsa; p=${der.toString('base64')}`;
  return { privateKey, record: record.match(/.{1,250}/g) ?? [] };
}

interface Signing {
  key: DkimKey;
  domain: string;
  selector: string;
  /** What h= names, doubled names and all. */
  signed: readonly string[];
  /** Further tags, such as `x=1`. */
  tags?: string;
}

function relaxed(field: string): string {
  const colon = field.indexOf(':');
  const value = field.slice(colon + 1).replaceAll(/\s+/g, ' ');
  return `${field.slice(0, colon).trim().toLowerCase()}:${value.trim()}`;
}

/** The bottommost field of a name first, each once (RFC 6376, section 5.4.2). */
function taken(fields: readonly string[], names: readonly string[]): string[] {
  const left = fields.map((field) => ({ name: relaxed(field).split(':')[0], field }));
  return names.flatMap((name) => {
    const at = left.findLastIndex((one) => one.name === name.trim().toLowerCase());
    return at < 0 ? [] : left.splice(at, 1).map(({ field }) => relaxed(field));
  });
}

/** Adds a DKIM signature (rsa-sha256, relaxed/relaxed) to an email with CRLF line ends. */
export function signEmail(raw: string, { key, domain, selector, signed, tags }: Signing): string {
  const end = raw.indexOf('\r\n\r\n');
  const fields = raw.slice(0, end).split(/\r\n(?![ \t])/);
  const body = raw
    .slice(end + 4)
    .split('\r\n')
    .map((line) => line.replaceAll(/[ \t]+/g, ' ').replace(/ $/, ''))
    .join('\r\n')
    .replace(/(?:\r\n)*$/, '\r\n');
  const bodyHash = createHash('sha256').update(body, 'utf8').digest('base64');
  const more = tags === undefined ? '' : ` ${tags};`;
  const unsigned = `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=${domain}; s=${selector};${more}\r\n h=${signed.join(':')};\r\n bh=${bodyHash}; b=`;
  const input = [...taken(fields, signed), relaxed(unsigned)].join('\r\n');
  const signature = sign('sha256', Buffer.from(input, 'utf8'), key.privateKey).toString('base64');
  return `${unsigned}${signature.replaceAll(/.{70}/g, '$&\r\n ')}\r\n${raw}`;
}
