import type { Attempt } from '#contract/deliveries.ts';
import { isOwnUrl } from '#server/accounts/sites/own-urls.ts';
import {
  type CompletedAttempt,
  NO_CALL,
  truncatedResponse,
} from '#server/delivery/deliveries/attempt-result.ts';
import { type Mail, MailError } from '#server/platform/mail.ts';
import { OutboundError, type OutboundResponse, STATUS_ONLY } from '#server/platform/outbound.ts';
import { retryAfterSeconds } from '#server/platform/retry-after.ts';
import type { Services } from '#server/platform/services.ts';

/** A message to the business's own endpoint or mailbox. */
export interface OutboundMessage {
  /** The HTTP request; for an email, the form in which it is shown and stored. */
  request: Attempt['request'];
  /** null: sent by HTTP. */
  mail: Mail | null;
  /** Why it is not sent for now; absent or null: it is. */
  withheld?: string | null;
}

/** Makes one attempt. */
export function sendOutboundMessage(
  services: Services,
  { request, mail, withheld }: OutboundMessage,
): Promise<CompletedAttempt> {
  if (typeof withheld === 'string') return Promise.resolve(withheldBecause(withheld));
  return mail === null ? sendByHttp(services, request) : sendByMail(services, request, mail);
}

const withheldBecause = (error: string): CompletedAttempt => ({
  kind: 'attempted',
  ...{ request: NO_CALL, outcome: 'refused', response: null, error },
  ...{ retryAfterSeconds: null, isFinal: false, confirmation: 'unsaid' },
});

function outcomeOf(status: number): Attempt['outcome'] {
  if (status >= 200 && status < 300) return 'arrived';
  if (status === 401 || status === 403) return 'bad_credentials';
  if (status === 404 || status === 410) return 'not_found';
  if (status === 429) return 'rate_limited';
  return status >= 500 ? 'unavailable' : 'refused';
}

const MAX_SHOWN_URL = 200;

/** The new address of an endpoint that has moved for good, without what may be secret in it. */
function newAddressOf({ status, headers }: OutboundResponse, url: string): string | null {
  const { location } = headers;
  if ((status !== 301 && status !== 308) || location === undefined || !URL.canParse(location, url))
    return null;
  const { protocol, host, pathname, search } = new URL(location, url);
  if (protocol !== 'http:' && protocol !== 'https:') return null;
  const address = `${protocol}//${host}${pathname}${search === '' ? '' : '?…'}`;
  return address.length > MAX_SHOWN_URL ? `${address.slice(0, MAX_SHOWN_URL)}…` : address;
}

function refusalOf(response: OutboundResponse, url: string): string {
  const address = newAddressOf(response, url);
  if (address === null) return `The receiver answered ${response.status}.`;
  return `The endpoint has moved to ${address} (${response.status}). Change the URL of the action.`;
}

async function sendByHttp(services: Services, request: Attempt['request']): Promise<CompletedAttempt> {
  const common = { kind: 'attempted', request, confirmation: 'unsaid' } as const;
  // Since it was saved, its host may have become the own domain of a site.
  if (await isOwnUrl(services, request.url)) {
    return {
      ...common,
      outcome: 'refused',
      response: null,
      error: 'The URL leads back to Sayso itself. Change the URL of the action.',
      retryAfterSeconds: null,
      isFinal: true,
    };
  }
  try {
    const response = await services.outbound.send(request, STATUS_ONLY);
    const outcome = outcomeOf(response.status);
    return {
      ...common,
      outcome,
      response: truncatedResponse(response.status, response.body),
      error: outcome === 'arrived' ? null : refusalOf(response, request.url),
      retryAfterSeconds: retryAfterSeconds(response.headers['retry-after'], services.clock.now()),
      isFinal: response.status === 410,
    };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return {
      ...common,
      outcome: error.kind === 'blocked' ? 'refused' : 'unavailable',
      response: null,
      error: error.message,
      retryAfterSeconds: null,
      isFinal: false,
    };
  }
}

async function sendByMail(
  services: Services,
  request: Attempt['request'],
  mail: Mail,
): Promise<CompletedAttempt> {
  const common = { kind: 'attempted', request, confirmation: 'unsaid', retryAfterSeconds: null } as const;
  try {
    const reply = await services.mailer.send(mail);
    const response = reply === null ? null : truncatedResponse(reply.status, reply.text);
    return { ...common, outcome: 'arrived', response, error: null, isFinal: false };
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    return {
      ...common,
      outcome: error.kind === 'away' ? 'unavailable' : 'refused',
      response: error.reply === null ? null : truncatedResponse(error.reply.status, error.reply.text),
      error: error.message,
      isFinal: error.kind === 'address_refused',
    };
  }
}
