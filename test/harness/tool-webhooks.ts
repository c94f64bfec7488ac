import { createHmac, generateKeyPairSync, sign } from 'node:crypto';

/* Webhooks as tools send them, with the tools' own signatures. */

export interface Webhook {
  body: string;
  headers: Record<string, string>;
}

const secondsOf = (at: Date) => String(Math.floor(at.getTime() / 1000));

/** A notice of Mailchimp. @param secret null: unsigned */
export function mailchimpWebhook(
  type: 'subscribe' | 'unsubscribe' | 'upemail' | 'cleaned',
  data: Record<string, string>,
  { at, sentAt = at, secret }: { at: Date; sentAt?: Date; secret: string | null },
): Webhook {
  const form = new URLSearchParams({ type, fired_at: at.toISOString().slice(0, 19).replace('T', ' ') });
  for (const [name, value] of Object.entries(data)) form.set(`data[${name}]`, value);
  const body = form.toString();
  const time = secondsOf(sentAt);
  const signature = createHmac('sha256', secret ?? '')
    .update(`${time}.${body}`)
    .digest('hex');
  return {
    body,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(secret === null ? {} : { 'x-mailchimp-signature': `t=${time},v1=${signature}` }),
    },
  };
}

export interface SendgridEvent {
  event: string;
  email: string;
  timestamp: number;
  sg_event_id: string;
  asm_group_id?: number;
}

/** An account of SendGrid that signs its event webhook. */
export function sendgridSigner() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return {
    verificationKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    webhook(events: readonly SendgridEvent[], sentAt: Date): Webhook {
      const body = JSON.stringify(events);
      const time = secondsOf(sentAt);
      const signature = sign('sha256', Buffer.from(time + body), privateKey).toString('base64');
      return {
        body,
        headers: {
          'content-type': 'application/json',
          'x-twilio-email-event-webhook-timestamp': time,
          'x-twilio-email-event-webhook-signature': signature,
        },
      };
    },
  };
}
