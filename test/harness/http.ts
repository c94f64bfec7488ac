import type { ErrorBody } from '#contract/errors.ts';
import type { Caller, TestProduct } from './product.ts';

export interface RawAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON; of a refusal, since that is what raw requests are for. */
  json: ErrorBody;
  /** The codes of a refusal. */
  codes: string[];
  fields: (string | undefined)[];
}

/** A request that the typed client would not send: unknown fields, broken JSON, odd headers. */
export async function rawRequest(
  product: TestProduct,
  method: string,
  path: string,
  parts: { as?: Caller; headers?: Record<string, string>; body?: string | object } = {},
): Promise<RawAnswer> {
  const { as = {} } = parts;
  const response = await fetch(`${product.url}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(as.token === undefined ? {} : { authorization: `Bearer ${as.token}` }),
      ...(as.host === undefined ? {} : { 'x-site-domain': as.host }),
      ...(typeof parts.body === 'object' ? { 'content-type': 'application/json' } : {}),
      ...parts.headers,
    },
    ...(parts.body === undefined
      ? {}
      : { body: typeof parts.body === 'string' ? parts.body : JSON.stringify(parts.body) }),
  });
  const text = await response.text();
  const json = parseJson(text) as ErrorBody;
  const errors = json?.meta?.errors ?? [];
  return {
    status: response.status,
    headers: response.headers,
    text,
    json,
    codes: errors.map((error) => error.code),
    fields: errors.map((error) => error.field),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
