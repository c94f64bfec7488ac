import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { FIELD } from '#web/page/view.ts';

/** What a mail program asks for: to unsubscribe (RFC 8058), or that the emails reach somebody else. */
export type OneClick = 'leave' | 'wrong_recipient';

/**
 * A parsed form: each field with all its values. `oneClick`: what it asks for where it comes from a mail program; null for
 * the product's own forms.
 */
export interface FormBody {
  fields: Record<string, string[]>;
  oneClick: OneClick | null;
}

/** RFC 8058, section 3.2: mail programs POST only when a person asks them to unsubscribe. */
export const EMPTY_FORM: FormBody = { fields: {}, oneClick: 'leave' };

const OUR_BUTTONS = [FIELD.intent, FIELD.instead];

/** Of an encoded body, at most this much is read. */
const MAX_BODY = 64 * 1024;

const PERCENT_ENCODED = /%[0-9a-f]{2}/gi;
const NOT_A_LETTER = /[^a-z]/g;

/**
 * What a mail program asks for. It says so as a form, JSON or an odd multipart, so only the letters count. A program that
 * sends both repeats the sender's header: then the opt-out counts.
 */
function oneClickOf(body: Buffer, fields: FormBody['fields']): OneClick | null {
  if (OUR_BUTTONS.some((name) => name in fields)) return null;
  const text = body.toString('latin1').replace(PERCENT_ENCODED, '').toLowerCase();
  const letters = text.replace(NOT_A_LETTER, '');
  const says = (words: string) => letters.includes(words);
  const isReport = says('wrongrecipient') && says('oneclick') && !says('listunsubscribe');
  return isReport ? 'wrong_recipient' : 'leave';
}

const DECODERS: Record<string, (body: Buffer) => Buffer> = {
  gzip: (body) => gunzipSync(body, { maxOutputLength: MAX_BODY }),
  'x-gzip': (body) => gunzipSync(body, { maxOutputLength: MAX_BODY }),
  deflate: (body) => inflateSync(body, { maxOutputLength: MAX_BODY }),
  br: (body) => brotliDecompressSync(body, { maxOutputLength: MAX_BODY }),
};

/** What can't be decoded is none of the product's forms. */
function decoded(body: Buffer, encoding: string): Buffer {
  try {
    return DECODERS[encoding.trim().toLowerCase()]?.(body) ?? body;
  } catch {
    return Buffer.alloc(0);
  }
}

async function fieldsOf(body: Buffer, contentType: string): Promise<Record<string, string[]>> {
  const fields: Record<string, string[]> = {};
  try {
    const form = await new Response(new Uint8Array(body), {
      headers: { 'content-type': contentType },
    }).formData();
    for (const [name, value] of form) {
      if (typeof value === 'string') (fields[name] ??= []).push(value);
    }
  } catch {
    // Not a form, so it has no fields.
  }
  return fields;
}

/** Accepts any body, compressed or not: urlencoded and multipart have fields, in any charset. */
async function parseForm(sent: Buffer, headers: FastifyRequest['headers']): Promise<FormBody> {
  const body = decoded(sent, headers['content-encoding'] ?? '');
  const fields = await fieldsOf(body, headers['content-type'] || 'application/x-www-form-urlencoded');
  return { fields, oneClick: oneClickOf(body, fields) };
}

/** Accepts forms instead of JSON, on the routes of `scope` only. */
export function acceptForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY }, (request, body, done) => {
    parseForm(body as Buffer, request.headers).then(
      (form) => done(null, form),
      (error: unknown) => done(error as Error),
    );
  });
}
