import type { FastifyInstance } from 'fastify';

/** A parsed form: each field with all its values. `oneClick`: a request by RFC 8058. */
export interface FormBody {
  fields: Record<string, string[]>;
  oneClick: boolean;
}

export const EMPTY_FORM: FormBody = { fields: {}, oneClick: false };

// An unsubscribe must not fail because of a mail provider's odd multipart.
const ONE_CLICK_ANYWHERE = /List-Unsubscribe"?(?:=|\s*?\r?\n(?:[^\n]*\n){0,3}?\r?\n)One-Click/i;

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

/** Accepts urlencoded or multipart in any charset, and anything else that contains the one-click marker. */
export async function parseForm(body: Buffer, contentType: string): Promise<FormBody> {
  const fields = await fieldsOf(body, contentType || 'application/x-www-form-urlencoded');
  return { fields, oneClick: ONE_CLICK_ANYWHERE.test(body.toString('latin1')) };
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
