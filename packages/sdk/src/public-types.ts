/* What the SDK's callers name, beside the operations. The build copies it into the published types as it is. */

export interface SaysoOptions {
  /**
   * The base URL of your site, as the screen "API keys and secrets" shows it: it has both ids in it. Or the URL of the
   * server only, with `organizationId` and `siteId`.
   */
  url: string;
  /** An API key of the site. Starts with `sk_`. Store it on your server only. */
  key: string;
  organizationId?: string;
  siteId?: string;
  /** How often a call that only reads is sent again after 429 or 503. Default: 3. */
  retries?: number;
  /** Never wait longer than this before a retry; a longer `Retry-After` fails at once. Default: 60 000. */
  maxRetryWaitMs?: number;
  /** In place of the global `fetch`. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

export interface CallOptions {
  signal?: AbortSignal;
}

/** The site that a client speaks to. */
export interface SaysoSite {
  /** Origin of the server, and the path below it if it has one. */
  server: string;
  organizationId: string;
  siteId: string;
}
