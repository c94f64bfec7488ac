import { createHmac } from 'node:crypto';
import { equalBytes } from '#server/platform/secrets.ts';
import { ConnectorError, type InboundEvent, type InboundRequest } from '../connector.ts';
import { dateOf } from '../timestamps.ts';
import { formOf } from '../webhooks.ts';
import { keptIn } from './webhook.ts';

/**
 * A notice is sent again for 75 minutes, and nothing says that it is then signed again. A day, as for SendGrid: what comes
 * twice is known by its id.
 */
const MAX_AGE_SECONDS = 24 * 60 * 60;
const MAX_AHEAD_SECONDS = 300;

/** @param secret the signing secrets, as `webhook.ts` keeps them; empty where only the webhook's secret address tells */
export function isGenuine({ headers, rawBody }: InboundRequest, secret: string, now: Date): boolean {
  const secrets = keptIn(secret).map((one) => one.secret);
  // Webhooks that were made before Mailchimp signed are still sent without.
  if (secrets.length === 0) return true;
  if (secrets.includes('') && headers['x-mailchimp-signature'] === undefined) return true;
  const match = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers['x-mailchimp-signature'] ?? '');
  if (match === null) return false;
  const [, time = '', given = ''] = match;
  const ageSeconds = now.getTime() / 1000 - Number(time);
  if (ageSeconds > MAX_AGE_SECONDS || ageSeconds < -MAX_AHEAD_SECONDS) return false;
  const isSignedWith = (one: string) =>
    equalBytes(
      Buffer.from(given, 'hex'),
      createHmac('sha256', one).update(`${time}.`).update(rawBody).digest(),
    );
  return secrets.some((one) => one !== '' && isSignedWith(one));
}

/** `2009-03-26 22:15:09`, in UTC. */
const timeOf = (firedAt: string) => dateOf(`${firedAt.replace(' ', 'T')}Z`);

type About = Omit<InboundEvent, 'id' | 'at'>;

/** @returns null: of no interest here */
function aboutOf(type: string, data: (name: string) => string): About | null {
  const person = { email: data('email') === '' ? null : data('email'), resource: data('list_id') };
  const isComplaint = data('reason') === 'abuse';
  switch (type) {
    case 'subscribe':
      return { ...person, kind: 'list_subscribed' };
    case 'unsubscribe':
      if (isComplaint) return { ...person, kind: 'complained' };
      // Somebody in the account deleted or archived the person, who said nothing.
      return data('action') === 'delete' ? null : { ...person, kind: 'list_unsubscribed' };
    case 'cleaned':
      return { ...person, kind: isComplaint ? 'complained' : 'bounced' };
    case 'upemail':
      return { ...person, kind: 'email_changed', email: data('old_email'), newEmail: data('new_email') };
    default:
      return null;
  }
}

export function parse(request: InboundRequest): InboundEvent[] {
  const form = formOf(request);
  const type = form.get('type');
  const firedAt = form.get('fired_at');
  const data = (name: string) => form.get(`data[${name}]`) ?? '';
  if (type === null || firedAt === null || data('list_id') === '') {
    throw new ConnectorError('refused', "This isn't a Mailchimp webhook.");
  }
  const about = aboutOf(type, data);
  if (about === null) return [];
  // Notices have no number of their own.
  const subject = data('id') || data('new_id') || data('email');
  return [{ id: [type, data('list_id'), subject, firedAt].join(':'), at: timeOf(firedAt), ...about }];
}
