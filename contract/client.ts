import type { ErrorBody } from './errors.ts';
import { API_PREFIX, type Route, type RouteCall, type RouteResponse } from './route.ts';

/** A failed call: `status` 0 means that no answer came, or one that broke off or is no JSON. */
export class ApiError extends Error {
  readonly status: number;
  readonly data: ErrorBody['data'];
  readonly errors: ErrorBody['meta']['errors'];
  readonly requestId: string | null;

  constructor(status: number, body: Partial<ErrorBody>, requestId: string | null) {
    super(body.message ?? "We couldn't reach the server.");
    this.name = 'ApiError';
    this.status = status;
    this.data = body.data ?? null;
    this.errors = body.meta?.errors ?? [];
    this.requestId = requestId;
  }
}

/** Takes a request to the server, as `fetch` does. */
export type Send = (url: string, init: RequestInit) => Promise<Response>;

type Primitive = string | number | boolean | null | undefined;

type LooseCall = {
  params?: Record<string, unknown>;
  query?: Record<string, Primitive>;
  headers?: Record<string, Primitive>;
  body?: unknown;
  file?: Blob;
};

function urlOf(route: Route, call: LooseCall, base: string): string {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(call.params?.[name])),
  );
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value !== undefined && value !== null) query.set(name, String(value));
  }
  return `${base}${API_PREFIX}${path}${query.size > 0 ? `?${query}` : ''}`;
}

function headersOf(call: LooseCall, extra: Record<string, string>): Headers {
  const headers = new Headers(extra);
  for (const [name, value] of Object.entries(call.headers ?? {})) {
    if (value !== undefined) headers.set(name, String(value));
  }
  if (call.body !== undefined) headers.set('content-type', 'application/json');
  if (call.file !== undefined) headers.set('content-type', call.file.type);
  return headers;
}

function bodyOf({ body, file }: LooseCall): string | Blob | null {
  if (file !== undefined) return file;
  return body === undefined ? null : JSON.stringify(body);
}

async function readBody(response: Response, route: Route): Promise<unknown> {
  if (response.status === 204) return null;
  if (response.ok && route.answers === 'application/pdf') return response.blob();
  if (response.ok && route.answers !== undefined) return response.text();
  return response.ok ? response.json() : response.json().catch(() => null);
}

/**
 * Makes one call of the contract and gives its body.
 * @throws ApiError for every answer that is not 2xx, and when none comes or it cannot be read.
 */
export async function callRoute<R extends Route>(
  route: R,
  call: RouteCall<R>,
  options: {
    base?: string;
    headers?: Record<string, string>;
    signal?: AbortSignal;
    send?: Send;
    keepalive?: boolean;
    /** `same-origin` for what signs somebody in: the server then knows the browser by its cookie. */
    credentials?: RequestCredentials;
  } = {},
): Promise<RouteResponse<R>> {
  const loose = call as LooseCall;
  let response: Response;
  let body: unknown;
  try {
    response = await (options.send ?? fetch)(urlOf(route, loose, options.base ?? ''), {
      method: route.method,
      headers: headersOf(loose, options.headers ?? {}),
      body: bodyOf(loose),
      signal: options.signal ?? null,
      credentials: options.credentials ?? 'omit',
      // A deletion whose undo has run out is sent also while its window closes.
      keepalive: options.keepalive ?? route.method === 'DELETE',
    });
    body = await readBody(response, route);
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new ApiError(0, {}, null);
  }
  if (!response.ok)
    throw new ApiError(
      response.status,
      (body ?? {}) as Partial<ErrorBody>,
      response.headers.get('x-request-id'),
    );
  return body as RouteResponse<R>;
}
