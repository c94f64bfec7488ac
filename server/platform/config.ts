import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import { isEmail } from '#contract/email-address.ts';
import { MIN_CONNECTIONS } from './connection-shares.ts';
import { databaseUrlProblem, smtpUrlProblem } from './connection-urls.ts';
import { type ProxyTrust, proxyTrustOf } from './http/client-address.ts';
import { haveSameId } from './key-ids.ts';
import { isLocalName } from './local-names.ts';
import { addressOf } from './mailbox.ts';

const flag = z.enum(['0', '1', 'true', 'false', '']).transform((value) => value === '1' || value === 'true');
const optionalUrl = z.union([z.literal(''), z.url({ protocol: /^https?$/ })]);
const isLabel = (label: string) => /^[a-z0-9-]{1,63}$/i.test(label) && !/^-|-$/.test(label);
const host = z.string().refine((value) => value.split('.').every(isLabel), {
  error: 'must be a host name like pages.example.com',
});

/** `CONNECTOR_<NAME>_URL`: another address for an email tool (design section 2). */
const CONNECTOR_URL = /^CONNECTOR_([A-Z_]+)_URL$/;

/** The product's app at an email tool, for connecting by OAuth. */
const CONNECTOR_CLIENT = /^CONNECTOR_([A-Z_]+)_CLIENT_(ID|SECRET)$/;

const environment = z.object({
  NODE_ENV: z.string().default('development'),
  PORT: z.coerce.number().int().min(0).max(65535).default(3000),
  HOST: z.string().min(1).default('127.0.0.1'),
  APP_URL: z
    .url({ protocol: /^https?$/, error: 'must be the address of the app, like https://app.example.com' })
    .optional(),
  SITE_DOMAIN: host.default('localhost'),
  DATA_DIR: z.string().min(1).default('./data'),
  DATABASE_URL: z
    .string()
    .regex(/^(postgres(ql)?:\/\/.+)?$/, {
      error: 'must be empty or look like postgres://user:password@host:5432/database',
    })
    .default(''),
  DATABASE_CONNECTIONS: z.coerce.number().int().min(MIN_CONNECTIONS).max(500).default(20),
  SECRET_KEY: z.string().default(''),
  ROLE: z.enum(['all', 'web', 'worker']).default('all'),
  WEB_CONCURRENCY: z.coerce.number().int().min(1).max(64).default(1),
  HEALTH_PORT: z.coerce.number().int().min(0).max(65535).default(0),
  SMTP_URL: z
    .string()
    .regex(/^(smtps?:\/\/.+)?$/, { error: 'must be empty or look like smtp://user:password@host:587' })
    .default(''),
  MAIL_FROM: z.string().optional(),
  BOUNCE_ADDRESS: z
    .string()
    .trim()
    .refine((value) => value === '' || isEmail(value), {
      error: 'must be empty or an email like bounces@example.com',
    })
    .default(''),
  ABUSE_EMAIL: z
    .string()
    .trim()
    .refine((value) => value === '' || isEmail(value), {
      error: 'must be empty or an email like abuse@example.com',
    })
    .default(''),
  GOOGLE_CLIENT_ID: z.string().default(''),
  GOOGLE_CLIENT_SECRET: z.string().default(''),
  GOOGLE_ISSUER: z.url().default('https://accounts.google.com'),
  CHAT_SCRIPT_URL: optionalUrl.default(''),
  CHAT_WEBSITE_TOKEN: z.string().default(''),
  DOCS_URL: optionalUrl.default(''),
  FEATURE_REQUEST_URL: optionalUrl.default(''),
  ALLOW_PRIVATE_TARGETS: flag.default(false),
  DNS_SERVERS: z.string().default(''),
  TRUST_PROXY: z.string().default(''),
  AUDIT_LOG_DAYS: z.coerce.number().int().min(365).max(36_500).default(3650),
  METRICS_TOKEN: z.string().default(''),
  TLS_ASK_TOKEN: z.string().max(300).default(''),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});

export interface ConnectorClient {
  clientId: string;
  clientSecret: string;
}

/** Every setting of the product, read once at the start (design section 2). */
export interface Config {
  production: boolean;
  /** Validate every response against the contract: slow, for tests only. */
  checkResponses: boolean;
  port: number;
  host: string;
  /** Without a trailing slash. Its host is the app host. */
  appUrl: string;
  siteDomain: string;
  dataDir: string;
  /** Empty: the embedded PostgreSQL in `dataDir`. */
  databaseUrl: string;
  /** Per process, in total. */
  databaseConnections: number;
  /** Newest first. Empty until `withSecretKeys` filled it from `dataDir`. */
  secretKeys: string[];
  role: 'all' | 'web' | 'worker';
  webConcurrency: number;
  /** For `/healthz`, `/readyz` and `/metrics` only; 0: none. */
  healthPort: number;
  smtpUrl: string;
  mailFrom: string;
  /** Envelope sender of every mail, to which undeliverable ones are returned. Empty: the address in `mailFrom`. */
  bounceAddress: string;
  /** Reports about pages are mailed there. Empty: they are only stored. */
  abuseEmail: string;
  google: { clientId: string; clientSecret: string; issuer: string } | null;
  chat: { scriptUrl: string; websiteToken: string } | null;
  docsUrl: string;
  featureRequestUrl: string;
  allowPrivateTargets: boolean;
  /** Empty: those of the system. */
  dnsServers: string[];
  /** By the tool's name in the setting, such as MAILCHIMP. */
  connectorUrls: Readonly<Record<string, string>>;
  /** The product's app at the tool, by the same name. */
  connectorClients: Readonly<Record<string, ConnectorClient>>;
  trustProxy: ProxyTrust;
  /** How long entries of the audit log stay. */
  auditLogDays: number;
  metricsToken: string;
  /** For a web server on another machine that asks whether a host may have a certificate. */
  tlsAskToken: string;
  logLevel: string;
}

/** A setting that cannot be used; the message is one sentence for the person who starts the product. */
export class ConfigError extends Error {}

function connectorUrlsOf(env: NodeJS.ProcessEnv): Record<string, string> {
  const urls: Record<string, string> = {};
  for (const [setting, value = ''] of Object.entries(env)) {
    const name = CONNECTOR_URL.exec(setting)?.[1];
    if (name === undefined || value === '') continue;
    if (!/^https?:\/\/./.test(value) || !URL.canParse(value)) {
      throw new ConfigError(`${setting}: must be a URL like https://api.example.com.`);
    }
    urls[name] = value;
  }
  return urls;
}

function connectorClientsOf(env: NodeJS.ProcessEnv): Record<string, ConnectorClient> {
  const names = Object.keys(env).flatMap((setting) => CONNECTOR_CLIENT.exec(setting)?.[1] ?? []);
  const clients: Record<string, ConnectorClient> = {};
  for (const name of new Set(names)) {
    const [id, secret] = [`CONNECTOR_${name}_CLIENT_ID`, `CONNECTOR_${name}_CLIENT_SECRET`];
    const [clientId, clientSecret] = [env[id]?.trim() ?? '', env[secret]?.trim() ?? ''];
    if (clientId === '' && clientSecret === '') continue;
    if (clientId === '') throw new ConfigError(`${id}: set it together with ${secret}.`);
    if (clientSecret === '') throw new ConfigError(`${secret}: set it together with ${id}.`);
    clients[name] = { clientId, clientSecret };
  }
  return clients;
}

function trustProxyOf(value: string): ProxyTrust {
  const read = proxyTrustOf(value);
  if ('problem' in read) throw new ConfigError(`TRUST_PROXY: "${value}" ${read.problem}.`);
  return read.trust;
}

/** @returns the origin that the app is served at */
function appUrlOf(value: string): string {
  const url = new URL(value);
  const hasMore =
    /[^/]/.test(url.pathname) || /[?#]/.test(value) || url.username !== '' || url.password !== '';
  if (!hasMore) return url.origin;
  throw new ConfigError(
    `APP_URL: must be only scheme, host and port, like ${url.origin}. Sayso can't be served below a path: give it a host of its own.`,
  );
}

function siteDomainOf(value: string, appUrl: string): string {
  const siteDomain = value.toLowerCase();
  const example = 'Set it to a domain whose subdomains all lead to this server, like pages.example.com.';
  if (/(?:^|\.)\d+$/.test(siteDomain)) {
    throw new ConfigError(`SITE_DOMAIN: an IP address has no subdomains for pages. ${example}`);
  }
  if (isLocalName(siteDomain) && !isLocalName(new URL(appUrl).hostname)) {
    throw new ConfigError(
      `SITE_DOMAIN: pages below ${siteDomain} can't be opened from other machines, but APP_URL is ${appUrl}. ${example}`,
    );
  }
  return siteDomain;
}

/** @param problemOf never repeats the value, which holds a password */
function connectionUrlOf(
  setting: string,
  value: string,
  problemOf: (value: string) => string | null,
): string {
  const problem = value === '' ? null : problemOf(value);
  if (problem !== null) throw new ConfigError(`${setting}: ${problem}.`);
  return value;
}

const DEFAULT_SENDER = 'Sayso <no-reply@localhost>';

/** @param isPublic whether emails leave this machine, where no mail server takes the sender by default */
function mailFromOf(value: string | undefined, { isPublic }: { isPublic: boolean }): string {
  const example = 'like no-reply@example.com or Acme <no-reply@example.com>';
  if (value === undefined && isPublic) {
    throw new ConfigError(`MAIL_FROM: set it together with SMTP_URL, to the sender's address, ${example}.`);
  }
  const mailFrom = value?.trim() ?? DEFAULT_SENDER;
  const address = addressOf(mailFrom);
  if (isEmail(address) || isEmail(address.replace(/@localhost$/, '@localhost.test'))) return mailFrom;
  throw new ConfigError(`MAIL_FROM: must contain the sender's email, ${example}.`);
}

/** `10.0.0.1`, `10.0.0.1:5353`, `2001:db8::1` or `[2001:db8::1]:5353`. */
function isServerAddress(value: string): boolean {
  const [, address = value, port = '53'] =
    /^\[(.+)\]:(\d+)$/.exec(value) ?? /^([\d.]+):(\d+)$/.exec(value) ?? [];
  return isIP(address) !== 0 && Number(port) >= 1 && Number(port) <= 65_535;
}

function dnsServersOf(value: string): string[] {
  const servers = value
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  const wrong = servers.find((one) => !isServerAddress(one));
  if (wrong !== undefined) {
    throw new ConfigError(
      `DNS_SERVERS: "${wrong}" must be the IP address of a DNS server, like 10.0.0.1 or 10.0.0.1:5353. Separate several with commas.`,
    );
  }
  return servers;
}

/**
 * Reads the settings from the environment.
 * @throws ConfigError naming the setting, the problem and the fix
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  // Compose files pass unset variables as empty strings.
  const given = Object.entries(env).filter(([, value]) => value !== '');
  const parsed = environment.safeParse(Object.fromEntries(given));
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigError(`A setting in the environment isn't valid. ${problems.join('; ')}`);
  }
  const settings = parsed.data;
  const appUrl = appUrlOf(settings.APP_URL ?? `http://localhost:${settings.PORT}`);
  const smtpUrl = connectionUrlOf('SMTP_URL', settings.SMTP_URL, smtpUrlProblem);
  const isPublic = !isLocalName(new URL(appUrl).hostname);
  const docsUrl = settings.DOCS_URL === '' ? `${appUrl}/docs` : settings.DOCS_URL;
  const production = settings.NODE_ENV === 'production';
  const secretKeys = settings.SECRET_KEY.split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '');
  if (secretKeys.some((key) => key.length < 32)) {
    throw new ConfigError(
      'SECRET_KEY: must be at least 32 characters. Create one with `openssl rand -base64 48`.',
    );
  }
  if (haveSameId(secretKeys)) {
    throw new ConfigError(
      "SECRET_KEY: two of its keys are the same, or can't be told apart by their ids. Create another one with `openssl rand -base64 48`.",
    );
  }
  if (production && settings.DATABASE_URL !== '' && secretKeys.length === 0) {
    throw new ConfigError(
      'SECRET_KEY: must be set when NODE_ENV is production and DATABASE_URL is set. Create one with `openssl rand -base64 48`.',
    );
  }
  if (settings.GOOGLE_CLIENT_ID !== '' && settings.GOOGLE_CLIENT_SECRET === '') {
    throw new ConfigError('GOOGLE_CLIENT_SECRET: set it together with GOOGLE_CLIENT_ID.');
  }
  if (settings.GOOGLE_CLIENT_SECRET !== '' && settings.GOOGLE_CLIENT_ID === '') {
    throw new ConfigError('GOOGLE_CLIENT_ID: set it together with GOOGLE_CLIENT_SECRET.');
  }
  if (settings.HEALTH_PORT !== 0 && settings.HEALTH_PORT === settings.PORT) {
    throw new ConfigError('HEALTH_PORT: must be another port than PORT.');
  }
  return {
    production,
    checkResponses: settings.NODE_ENV === 'test',
    port: settings.PORT,
    host: settings.HOST,
    appUrl,
    siteDomain: siteDomainOf(settings.SITE_DOMAIN, appUrl),
    dataDir: resolve(settings.DATA_DIR),
    databaseUrl: connectionUrlOf('DATABASE_URL', settings.DATABASE_URL, databaseUrlProblem),
    databaseConnections: settings.DATABASE_CONNECTIONS,
    secretKeys,
    role: settings.ROLE,
    webConcurrency: settings.WEB_CONCURRENCY,
    healthPort: settings.HEALTH_PORT,
    smtpUrl,
    mailFrom: mailFromOf(settings.MAIL_FROM, { isPublic: isPublic && smtpUrl !== '' }),
    bounceAddress: settings.BOUNCE_ADDRESS,
    abuseEmail: settings.ABUSE_EMAIL,
    google:
      settings.GOOGLE_CLIENT_ID === ''
        ? null
        : {
            clientId: settings.GOOGLE_CLIENT_ID,
            clientSecret: settings.GOOGLE_CLIENT_SECRET,
            issuer: settings.GOOGLE_ISSUER,
          },
    chat:
      settings.CHAT_SCRIPT_URL === ''
        ? null
        : { scriptUrl: settings.CHAT_SCRIPT_URL, websiteToken: settings.CHAT_WEBSITE_TOKEN },
    docsUrl,
    featureRequestUrl:
      settings.FEATURE_REQUEST_URL === '' ? `${docsUrl}#feature-requests` : settings.FEATURE_REQUEST_URL,
    allowPrivateTargets: settings.ALLOW_PRIVATE_TARGETS,
    dnsServers: dnsServersOf(settings.DNS_SERVERS),
    connectorUrls: connectorUrlsOf(env),
    connectorClients: connectorClientsOf(env),
    trustProxy: trustProxyOf(settings.TRUST_PROXY),
    auditLogDays: settings.AUDIT_LOG_DAYS,
    metricsToken: settings.METRICS_TOKEN,
    tlsAskToken: settings.TLS_ASK_TOKEN,
    logLevel: settings.LOG_LEVEL,
  };
}

/** Host with port of the app, e.g. `localhost:3000`. */
export function appHost(config: Config): string {
  return new URL(config.appUrl).host;
}

/** Where the pages of a host are served: scheme and port are those of the app. */
export function siteUrl(config: Config, hostName: string): string {
  const app = new URL(config.appUrl);
  return `${app.protocol}//${hostName}${app.port === '' ? '' : `:${app.port}`}`;
}
