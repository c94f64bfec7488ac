import type { Dns } from '#server/platform/dns.ts';
import { type Authentication, authenticate } from '#server/platform/raw-email/authenticate.ts';
import { type EmailLink, linksOfHtml, linksOfText } from '#server/platform/raw-email/links.ts';
import {
  type RawEmail,
  type RawEmailProblem,
  readRawEmail,
  valuesOf,
} from '#server/platform/raw-email/raw-email.ts';
import { mergeFieldIn } from './merge-field.ts';
import { looksLikeUnsubscribe, saysUnsubscribe } from './unsubscribe-words.ts';

/** A link, with what its words say. */
export interface ReadLink extends Pick<EmailLink, 'href' | 'isImageOnly' | 'hiddenBy'> {
  /** It says that it leads to unsubscribing. */
  leadsOut: boolean;
  mergeField: string | null;
}

/** All that is judged of an email, without its body. */
export interface ReadEmail extends Pick<RawEmail, 'fields' | 'subject' | 'from' | 'to'> {
  /** null: it has no HTML. */
  htmlBytes: number | null;
  /** People see the HTML if there is any; these are its links, or else those of the text. */
  links: readonly ReadLink[];
  /** The first in the List-Unsubscribe header or a link. */
  mergeField: string | null;
  authentication: Authentication;
}

function readLink({ href, text, unseen, isImageOnly, hiddenBy }: EmailLink): ReadLink {
  const leadsOut = saysUnsubscribe(`${text} ${unseen}`) || looksLikeUnsubscribe(href);
  return { href, isImageOnly, hiddenBy, leadsOut, mergeField: mergeFieldIn(href) };
}

/** Reads an email and what DNS says of it: all work that grows with its size. */
export async function readEmail(
  file: Buffer,
  dns: Pick<Dns, 'txt'>,
): Promise<ReadEmail | { problem: RawEmailProblem }> {
  const email = await readRawEmail(file);
  if (typeof email === 'string') return { problem: email };
  const { fields, subject, from, to, html, text } = email;
  const links = (html === null ? linksOfText(text ?? '') : linksOfHtml(html)).map(readLink);
  const inHeader = valuesOf(email, 'list-unsubscribe').map(mergeFieldIn);
  const mergeFields = [...inHeader, ...links.map((link) => link.mergeField)];
  return {
    fields,
    subject,
    from,
    to,
    htmlBytes: html === null ? null : Buffer.byteLength(html),
    links,
    mergeField: mergeFields.find((field) => field !== null) ?? null,
    authentication: await authenticate(email, dns),
  };
}
