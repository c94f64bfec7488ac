import { describe, expect, it } from 'vitest';
import { parseEvents as brevo } from './brevo/inbound.ts';
import { parse as campaignMonitor } from './campaign-monitor/inbound.ts';
import type { InboundEvent, InboundRequest } from './connector.ts';
import { inbound as kit } from './kit/inbound.ts';
import { parse as mailchimp } from './mailchimp/inbound.ts';
import { parse as sendgrid } from './sendgrid/inbound.ts';

interface Tool {
  name: string;
  parse: (request: InboundRequest) => InboundEvent[];
  /** How somebody's leaving is told, with all that the tool tells of it. */
  leaving: (email: string) => object;
  /** The same with nothing but who did what. */
  bareLeaving: (email: string) => object;
  /** The same at a time that there is not. */
  timelessLeaving?: (email: string) => object;
  body: (events: readonly unknown[]) => unknown;
}

const parseKit = (request: InboundRequest) => {
  if (kit.kind !== 'webhook') throw new Error('ConvertKit has webhooks');
  return kit.parse(request);
};

const TOOLS: Tool[] = [
  {
    name: 'SendGrid',
    parse: sendgrid,
    leaving: (email) => ({ event: 'unsubscribe', email, timestamp: 1_790_000_000, sg_event_id: email }),
    bareLeaving: (email) => ({ event: 'unsubscribe', email, timestamp: 'soon' }),
    timelessLeaving: (email) => ({ event: 'unsubscribe', email, timestamp: 1e20 }),
    body: (events) => events,
  },
  {
    name: 'Campaign Monitor',
    parse: campaignMonitor,
    leaving: (email) => ({
      Type: 'Deactivate',
      State: 'Unsubscribed',
      EmailAddress: email,
      Date: '2026-11-29 10:00:00',
    }),
    bareLeaving: (email) => ({ Type: 'Deactivate', State: 'Unsubscribed', EmailAddress: email, Date: 5 }),
    body: (Events) => ({ ListID: 'news', Events }),
  },
  {
    name: 'Brevo',
    parse: brevo,
    leaving: (email) => ({ event: 'unsubscribe', email, ts_event: 1_790_000_000 }),
    bareLeaving: (email) => ({ event: 'unsubscribe', email, list_id: { odd: true }, ts_event: 'soon' }),
    timelessLeaving: (email) => ({ event: 'unsubscribe', email, ts_event: 1e20 }),
    body: (events) => events,
  },
  {
    name: 'ConvertKit',
    parse: parseKit,
    leaving: (email) => ({
      id: email,
      type: 'subscriber.unsubscribed',
      created: '2026-11-29T10:00:00Z',
      data: { subscriber: { email_address: email } },
    }),
    bareLeaving: (email) => ({
      id: 7,
      type: 'subscriber.unsubscribed',
      data: { subscriber: { email_address: email } },
    }),
    body: (events) => ({ events }),
  },
];

const MALFORMED = [
  null,
  7,
  {},
  { event: 'unsubscribe', type: 'subscriber.unsubscribed', Type: 'Deactivate' },
];

describe.each(TOOLS)('a batch of $name', ({ parse, leaving, bareLeaving, timelessLeaving, body }) => {
  const read = (events: readonly unknown[]) =>
    parse({ headers: {}, rawBody: Buffer.from(JSON.stringify(body(events))) });

  it('keeps the good events around one that cannot be read', () => {
    for (const odd of MALFORMED) {
      const emails = read([leaving('a@example.com'), odd, leaving('b@example.com')]).flatMap(
        ({ email }) => email ?? [],
      );
      expect(emails, JSON.stringify(odd)).toEqual(['a@example.com', 'b@example.com']);
    }
  });

  it('counts an opt-out that says who, whatever is wrong with the rest of it', () => {
    for (const leavingOf of [bareLeaving, timelessLeaving ?? bareLeaving]) {
      const [event] = read([leavingOf('a@example.com')]);
      expect(event).toMatchObject({ email: 'a@example.com', at: null });
      expect(event?.kind).toMatch(/unsubscribed$/);
    }
  });

  it('is refused where nothing can be read', () => {
    expect(() => read([7, null])).toThrow(expect.objectContaining({ kind: 'refused' }));
  });

  it('without events is no failure', () => {
    expect(read([])).toEqual([]);
  });
});

describe('the text that a webhook tells', () => {
  const emailsIn = (events: InboundEvent[]) => events.map(({ email }) => email);
  const request = (rawBody: string) => ({ headers: {}, rawBody: Buffer.from(rawBody) });

  it('can be stored, from a form', () => {
    const about =
      'type=unsubscribe&fired_at=2026-11-01+10:00:00&data[list_id]=a&data[email]=a%00@example.com';
    expect(emailsIn(mailchimp(request(about)))).toEqual(['a\ufffd@example.com']);
  });

  it('can be stored, from JSON', () => {
    const event = {
      event: 'unsubscribe',
      email: 'a\0\ud800@example.com',
      timestamp: 1_790_000_000,
      sg_event_id: 'a',
    };
    expect(emailsIn(sendgrid(request(JSON.stringify([event]))))).toEqual(['a\ufffd\ufffd@example.com']);
  });
});
