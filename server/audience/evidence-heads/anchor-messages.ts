import { EVIDENCE_KEYS_PATH } from '#contract/proof.ts';
import { isMailbox } from '#contract/site-addresses.ts';
import { mayReceiveEvidence, stopLink } from '#server/accounts/accounts/evidence-mailbox.ts';
import { mailDocument } from '#server/accounts/mails/mail-document.ts';
import { screenLink } from '#server/accounts/sites/screen-link.ts';
import { siteById } from '#server/accounts/sites/sites.ts';
import { MailError } from '#server/platform/mail.ts';
import { OutboundError, STATUS_ONLY } from '#server/platform/outbound.ts';
import type { Services } from '#server/platform/services.ts';
import { headsFrom, lastAnchored, lastHead, recordAnchored } from './evidence-heads.sql.ts';
import { presentHead } from './evidence-heads.ts';

/** Each names the one before it, so that the newest covers them all. */
const HEADS_AT_ONCE = 100;

/** The message for an anchor: the file that the verifier takes with `--heads`. */
interface Message {
  siteId: string;
  siteName: string;
  last: number;
  json: string;
  keysUrl: string;
}

/** The email with the file, in English as all evidence. @param links.choices of the site */
export function anchorMail(
  { siteName, last, json, keysUrl }: Omit<Message, 'siteId'>,
  links: { choices: string; stop: string },
) {
  const name = `evidence-heads-${last}.json`;
  return {
    subject: `Signed evidence of ${siteName}: head ${last}`,
    // RFC 3834: asks for no out-of-office reply. RFC 2369: what the mail program offers beside the sender.
    headers: { 'Auto-Submitted': 'auto-generated', 'List-Unsubscribe': `<${links.stop}>` },
    attachments: [{ name, type: 'application/json', content: json }],
    ...mailDocument({
      language: 'en',
      lines: [
        `Sayso signed the evidence of ${siteName} last night. Store this email: a proof pack whose signed heads differ from the attached ones was altered.`,
        `To compare, run: node verify.mjs pack.json --heads ${name}`,
      ],
      facts: [
        ['Head', String(last)],
        ['Public keys', keysUrl],
      ],
      button: { text: 'Open choices', link: links.choices },
      footnote: `To stop these emails, open this link and press its button: ${links.stop}`,
    }),
  };
}

/** @returns why the receiver refused it; null: it arrived. @throws MailError, OutboundError */
async function send(services: Services, target: string, message: Message): Promise<string | null> {
  const { siteId, last, json } = message;
  if (!isMailbox(target)) {
    const headers = { 'content-type': 'application/json' };
    const request = { method: 'POST', url: target, headers, body: json };
    const { status } = await services.outbound.send(request, STATUS_ONLY);
    return status >= 200 && status < 300 ? null : `The URL answered ${status}.`;
  }
  await services.mailer.send({
    id: `evidence-head-${siteId}-${last}`,
    to: target,
    ...anchorMail(message, {
      choices: screenLink(services.config, siteId, '/evidence'),
      stop: stopLink(services, siteId, target),
    }),
  });
  return null;
}

/** Sends the heads that are new since the last time to where the site wants them. What fails is tried again with the next ones. */
export async function sendToAnchor(services: Services, siteId: string): Promise<void> {
  const site = await siteById(services.database.global, siteId);
  if (site === undefined || site.evidence_anchor === '' || !mayReceiveEvidence(site)) return;
  const target = site.evidence_anchor;
  const { before, heads } = await services.database.readSite(siteId, async (db) => {
    const [newest, anchored] = [await lastHead(db), await lastAnchored(db)];
    const before = anchored?.target === target ? anchored : { number: null, arrived_at: null };
    if (newest === undefined) return { before, heads: [] };
    const after = Math.max(before.number ?? newest.number - 1, newest.number - HEADS_AT_ONCE);
    return { before, heads: await headsFrom(db, after, HEADS_AT_ONCE) };
  });
  const last = heads.at(-1);
  if (last === undefined) return;
  const keysUrl = `${services.config.appUrl}${EVIDENCE_KEYS_PATH}`;
  const content = {
    site: { id: siteId, name: site.name },
    keys_url: keysUrl,
    results: heads.map(presentHead),
  };
  const message = { siteId, siteName: site.name, last: last.number, json: JSON.stringify(content), keysUrl };
  const error = await send(services, target, message).catch((cause: unknown) => {
    if (cause instanceof MailError || cause instanceof OutboundError) return cause.message;
    throw cause;
  });
  const arrived = error === null ? { number: last.number, arrived_at: services.clock.now() } : before;
  const { number, arrived_at } = arrived;
  await services.database.inSite(siteId, (db) => recordAnchored(db, { target, number, arrived_at, error }));
}
