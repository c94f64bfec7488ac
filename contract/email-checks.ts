import { z } from 'zod';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteParams } from './site-scope.ts';

export const MAX_EMAIL_BYTES = 2 * 1024 * 1024;

/** Browsers call a saved email by the first; what is pasted is text. */
export const EMAIL_FILE_TYPES = ['message/rfc822', 'text/plain'] as const;

/** Gmail cuts off the HTML of an email beyond this. */
export const CLIPPED_FROM_BYTES = 102 * 1024;

/** Worst first. */
export const CHECK_STATUSES = ['fault', 'warning', 'hint', 'ok'] as const;
export type CheckStatus = (typeof CHECK_STATUSES)[number];

/** What is looked at, in the order of a mail program that wants to show its own unsubscribe button. */
export const EMAIL_CHECKS = [
  'list_unsubscribe',
  'list_unsubscribe_post',
  'dkim',
  'signed_headers',
  'alignment',
  'one_click_link',
  'body_link',
  'merge_fields',
  'list_id',
  'size',
] as const;
export type EmailCheckName = (typeof EMAIL_CHECKS)[number];

/** What a check can find, and how bad that is. */
export const EMAIL_FINDINGS = {
  unsubscribe_ok: ['list_unsubscribe', 'ok'],
  unsubscribe_missing: ['list_unsubscribe', 'fault'],
  unsubscribe_duplicated: ['list_unsubscribe', 'fault'],
  unsubscribe_malformed: ['list_unsubscribe', 'fault'],
  unsubscribe_mailto_only: ['list_unsubscribe', 'fault'],
  unsubscribe_http_only: ['list_unsubscribe', 'fault'],
  unsubscribe_several: ['list_unsubscribe', 'fault'],
  post_ok: ['list_unsubscribe_post', 'ok'],
  post_missing: ['list_unsubscribe_post', 'fault'],
  post_wrong: ['list_unsubscribe_post', 'fault'],
  post_duplicated: ['list_unsubscribe_post', 'fault'],
  post_alone: ['list_unsubscribe_post', 'fault'],
  dkim_ok: ['dkim', 'ok'],
  dkim_missing: ['dkim', 'fault'],
  dkim_body_changed: ['dkim', 'fault'],
  dkim_signature_wrong: ['dkim', 'fault'],
  dkim_no_key: ['dkim', 'fault'],
  dkim_short_key: ['dkim', 'fault'],
  dkim_invalid: ['dkim', 'fault'],
  dkim_unknown: ['dkim', 'warning'],
  signed_ok: ['signed_headers', 'ok'],
  signed_incomplete: ['signed_headers', 'fault'],
  aligned_dkim: ['alignment', 'ok'],
  aligned_spf: ['alignment', 'ok'],
  unaligned: ['alignment', 'warning'],
  unaligned_refused: ['alignment', 'fault'],
  dmarc_missing: ['alignment', 'warning'],
  from_invalid: ['alignment', 'fault'],
  alignment_unknown: ['alignment', 'warning'],
  link_works: ['one_click_link', 'ok'],
  link_elsewhere: ['one_click_link', 'hint'],
  link_invalid: ['one_click_link', 'fault'],
  link_other_site: ['one_click_link', 'fault'],
  link_other_person: ['one_click_link', 'fault'],
  link_gone: ['one_click_link', 'fault'],
  link_no_one_click: ['one_click_link', 'fault'],
  link_not_served: ['one_click_link', 'fault'],
  link_refused: ['one_click_link', 'fault'],
  body_ok: ['body_link', 'ok'],
  body_missing: ['body_link', 'fault'],
  body_hidden: ['body_link', 'fault'],
  body_image_only: ['body_link', 'warning'],
  body_state: ['body_link', 'warning'],
  body_invalid: ['body_link', 'fault'],
  body_other_site: ['body_link', 'fault'],
  body_other_person: ['body_link', 'fault'],
  body_gone: ['body_link', 'fault'],
  body_not_served: ['body_link', 'fault'],
  merge_ok: ['merge_fields', 'ok'],
  merge_left: ['merge_fields', 'fault'],
  merge_empty: ['merge_fields', 'fault'],
  list_id_ok: ['list_id', 'ok'],
  list_id_missing: ['list_id', 'hint'],
  size_ok: ['size', 'ok'],
  size_clipped: ['size', 'warning'],
} as const satisfies Record<string, readonly [EmailCheckName, CheckStatus]>;

export type EmailFindingCode = keyof typeof EMAIL_FINDINGS;

const FINDING_CODES = Object.keys(EMAIL_FINDINGS) as [EmailFindingCode, ...EmailFindingCode[]];

export const emailFinding = z
  .object({
    code: z.enum(FINDING_CODES).describe('What was found. The handbook says how to fix each.'),
    check: z.enum(EMAIL_CHECKS),
    status: z
      .enum(CHECK_STATUSES)
      .describe('fault: fix this. warning: look at it. hint: optional. ok: as it should be.'),
    values: z
      .record(z.string(), z.string())
      .describe('Details of the finding, such as `domain`, `host`, `value` or `email`.'),
  })
  .meta({ id: 'EmailFinding' });

export type EmailFinding = z.infer<typeof emailFinding>;

export const emailCheck = z
  .object({
    status: z.enum(CHECK_STATUSES).describe('The worst of the findings.'),
    email: z.object({
      subject: z.string().nullable(),
      from: z.string().nullable(),
      to: z.string().nullable(),
      bytes: z.number().int(),
    }),
    findings: z.array(emailFinding).describe('Worst first.'),
  })
  .meta({ id: 'EmailCheck' });

export type EmailCheck = z.infer<typeof emailCheck>;

export const checkEmail = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/email-checks`,
  access: 'site',
  needs: 'viewer',
  tag: 'Preference pages',
  summary: 'Check the unsubscribe links and headers of an email',
  description:
    "The body is the raw email as it was received, with all its headers, at most 2 MB. We check its unsubscribe headers (RFC 8058), DKIM and DMARC, and the links. Nothing is stored and no one is unsubscribed. For this site's one-click link we run the request of an email app (`List-Unsubscribe=One-Click` by POST) through our own server, without saving its result; its other links are checked without using them, and links to other hosts are only read. The only requests that leave our server are DNS lookups of the DKIM keys and DMARC policies. At most 20 a minute per site.",
  params: siteParams,
  file: { types: EMAIL_FILE_TYPES, maxBytes: MAX_EMAIL_BYTES },
  status: 200,
  response: emailCheck,
  errors: ['invalid_field', 'rate_limited'],
});
