import { join } from 'node:path';
import {
  CHECK_STATUSES,
  EMAIL_CHECKS,
  EMAIL_FINDINGS,
  type EmailCheck,
  type EmailFinding,
} from '#contract/email-checks.ts';
import { AppError } from '#server/platform/errors.ts';
import { withConcurrencyLimit } from '#server/platform/concurrency-limit.ts';
import { inOwnProcess, type OwnProcess } from '#server/platform/own-process.ts';
import type { RawEmailProblem } from '#server/platform/raw-email/raw-email.ts';
import type { Services } from '#server/platform/services.ts';
import {
  alignment,
  dkim,
  type Found,
  listId,
  listUnsubscribe,
  listUnsubscribePost,
  signedHeaders,
  size,
} from './header-findings.ts';
import { bodyLinks, EmailLinks, mergeFields, oneClickLink, type PostOneClick } from './link-findings.ts';
import type { ReadAnswer, ReadRequest } from './read-email-process.ts';

/** Each costs some DNS queries, and a run over the email per signature. */
const CHECKS = { name: 'email-checks', points: 20, perSeconds: 60 };
const MAX_VALUE = 300;
const AT_ONCE = 2;
const QUEUE = { most: 20, full: "We're checking too many emails right now." };

const PROCESS: OwnProcess<ReadAnswer> = {
  module: join(import.meta.dirname, 'read-email-process.ts'),
  heapMb: 200,
  // DNS may take its time, too.
  deadlineMs: 60_000,
  keptMs: 10_000,
  tooSlow: { problem: 'too_slow' },
  died: { problem: 'unreadable' },
};

const PROBLEMS: Record<RawEmailProblem | 'too_slow', string> = {
  empty: 'file: this is empty. Send the raw email with all its headers.',
  no_headers:
    'file: this has no email headers at its beginning. Send the raw email, as "Show original" or "View source" shows it.',
  headers_too_large:
    'file: the headers have more than 256 KB or 4,000 lines. Send an email with fewer headers.',
  too_many_lines: 'file: this email has more than 60,000 lines. Send one without attachments.',
  unreadable:
    "file: this email's parts are nested too deeply to read. Send it without forwarded emails inside.",
  too_slow: 'file: this email takes too long to read. Send one without attachments.',
};

/** For display: one line of moderate length. */
function shown(text: string): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  return line.length > MAX_VALUE ? `${line.slice(0, MAX_VALUE)}…` : line;
}

function present({ code, values = {} }: Found): EmailFinding {
  const [check, status] = EMAIL_FINDINGS[code];
  const cut = Object.entries(values).map(([name, value]) => [name, shown(value)] as const);
  return { code, check, status, values: Object.fromEntries(cut) };
}

const rank = ({ status, check }: EmailFinding) =>
  CHECK_STATUSES.indexOf(status) * EMAIL_CHECKS.length + EMAIL_CHECKS.indexOf(check);

/**
 * Checks what an email offers for unsubscribing. Stores nothing and unsubscribes no one: the one-click link of this site
 * answers a rehearsed request (RFC 8058), its other links are judged by what they carry, and those to other hosts are
 * only read.
 * @param post rehearses a one-click request
 * @throws AppError `invalid_field` if this is no email, `rate_limited`
 */
export async function checkEmail(
  services: Services,
  siteId: string,
  file: Buffer,
  post: PostOneClick,
): Promise<EmailCheck> {
  await services.limits.use(CHECKS, siteId);
  const request: ReadRequest = { file, dnsServers: services.config.dnsServers };
  const email = await withConcurrencyLimit(AT_ONCE, 'emails', () => inOwnProcess(PROCESS, request), QUEUE);
  if ('problem' in email) {
    const { problem } = email;
    throw new AppError('invalid_field', PROBLEMS[problem], { field: 'file', data: { problem } });
  }
  const { authentication } = email;
  const links = new EmailLinks(services, siteId, email);
  const found = [
    listUnsubscribe(email),
    listUnsubscribePost(email),
    dkim(email, authentication),
    signedHeaders(email, authentication),
    alignment(authentication),
    await oneClickLink(links, post),
    ...(await bodyLinks(links)),
    await mergeFields(links),
    listId(email),
    size(email),
  ];
  const findings = found
    .flatMap((one) => (one === null ? [] : [present(one)]))
    .toSorted((a, b) => rank(a) - rank(b));
  return {
    status: findings[0]?.status ?? 'ok',
    email: {
      subject: email.subject === null ? null : shown(email.subject),
      from: email.from[0] === undefined ? null : shown(email.from[0]),
      to: email.to[0] === undefined ? null : shown(email.to[0]),
      bytes: file.length,
    },
    findings,
  };
}
