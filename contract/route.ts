import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import type { KeyScope, Role } from './roles.ts';

/**
 * Who may call a route.
 * - `anyone`: no credentials.
 * - `user`: an owner's access token (`Authorization: Bearer`). The rule file decides whose data it may reach.
 * - `organization`: the access token of a member of the organization named in the path; anyone else gets 404.
 * - `site`: the access token of a member of the site named in the path, or an API key of that site; a stranger gets 404.
 * - `visitor`: the public page; `x-site-domain` (or else the host) picks the site and gives no authority.
 * - `customer`: the sealed capability in `{customerId}`, and the site as for `visitor`.
 */
export type Access = 'anyone' | 'user' | 'organization' | 'site' | 'visitor' | 'customer';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A file as the body of a call, as it is: no form around it. */
export interface FileBody {
  /** Media types that are taken; `content-type` has to name one of them. */
  types: readonly string[];
  maxBytes: number;
  /** Handed on while it comes in, for files that are too large to be held. */
  streamed?: true;
}

/** One call of the API, declared once: the server registers it, the browser client and OpenAPI are derived from it. */
export interface Route {
  method: Method;
  /** Below the API prefix, with `{name}` for parameters. */
  path: `/${string}`;
  access: Access;
  /** The least role in the organization that may call it; see `needsOf` of `roles.ts` for what holds without one. */
  needs?: Role;
  /** API keys with one of these may call it; see `scopesOf` of `roles.ts` for what holds without them. */
  scopes?: readonly KeyScope[];
  /** May be called by somebody who still has to set up the second factor that their organization requires. */
  duringSetUp?: true;
  tag: string;
  summary: string;
  description?: string;
  /** Left out of the readable reference: nobody would call it on purpose. */
  isHidden?: true;
  params?: z.ZodObject;
  query?: z.ZodObject;
  headers?: z.ZodObject;
  body?: z.ZodType;
  /** In place of `body`. */
  file?: FileBody;
  status: 200 | 201 | 202 | 204;
  response: z.ZodType;
  /** A file in place of an answer, sent while it is made; `response` is then its text, or the file itself. */
  answers?: 'text/csv' | 'application/json' | 'application/pdf';
  /** Codes beyond those that every route of its access can answer. */
  errors?: readonly ErrorCode[];
}

/** Gives a route its precise type. */
export function defineRoute<const R extends Route>(route: R): R {
  return route;
}

type Input<S> = S extends z.ZodType ? z.input<S> : never;

/** What a caller gives: the parts that the route declares, before defaults are filled in. */
export type RouteCall<R extends Route> = (R['params'] extends z.ZodType
  ? { params: Input<R['params']> }
  : unknown) &
  (R['query'] extends z.ZodType ? { query?: Input<R['query']> } : unknown) &
  (R['headers'] extends z.ZodType ? { headers?: Input<R['headers']> } : unknown) &
  (R['body'] extends z.ZodType ? { body: Input<R['body']> } : unknown) &
  (R['file'] extends FileBody ? { file: Blob } : unknown);

/** What a caller gets. */
export type RouteResponse<R extends Route> = z.output<R['response']>;

/** Prefix of every path of the route table. */
export const API_PREFIX = '/api';
