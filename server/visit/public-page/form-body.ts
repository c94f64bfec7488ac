import type { FastifyInstance } from 'fastify';

/** What a mail program asks for: to unsubscribe (RFC 8058), or that the emails reach somebody else. */
export type OneClick = 'leave' | 'wrong_recipient';

/** A parsed form: each field with all its values. `oneClick`: sent by a mail program. */
export interface FormBody {
  fields: Record<string, string[]>;
  oneClick: OneClick | null;
}

export const EMPTY_FORM: FormBody = { fields: {}, oneClick: null };

// An unsubscribe must not fail because of a mail provider's odd multipart.
const markerOf = (name: string) =>
  new RegExp(`${name}"?(?:=|\\s*?\\r?\\n(?:[^\\n]*\\n){0,3}?\\r?\\n)One-Click`, 'i');
const LEAVE_ANYWHERE = markerOf('List-Unsubscribe');
const WRONG_RECIPIENT_ANYWHERE = markerOf('Wrong-Recipient');

/** A program that sends both repeats the sender's header: then the opt-out counts. */
function oneClickOf(body: string): OneClick | null {
  if (LEAVE_ANYWHERE.test(body)) return 'leave';
  return WRONG_RECIPIENT_ANYWHERE.test(body) ? 'wrong_recipient' : null;
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

/** Accepts urlencoded or multipart in any charset, and anything else that contains a one-click marker. */
export async function parseForm(body: Buffer, contentType: string): Promise<FormBody> {
  const fields = await fieldsOf(body, contentType || 'application/x-www-form-urlencoded');
  return { fields, oneClick: oneClickOf(body.toString('latin1')) };
}

/** Accepts forms instead of JSON, on the routes of `scope` only. */
export function acceptForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 64 * 1024 }, (request, body, done) => {
    parseForm(body as Buffer, request.headers['content-type'] ?? '').then(
      (form) => done(null, form),
      (error: unknown) => done(error as Error),
    );
  });
}
