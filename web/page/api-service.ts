import { ApiError, callRoute } from '#contract/client.ts';
import { randomId } from '#web/ui/random-id.ts';
import { removeSavedParams } from './history-entry.ts';
import { ROUTES } from './api-routes.ts';
import { type CustomerSession, customerSession, type SessionOptions } from './customer-session.ts';
import type { Frame } from './framed.ts';
import { ServiceError, withLists, type Failure, type PageService } from './service.ts';
import { visibleFor } from './visible-for.ts';

const LOADER_HOLD_MS = 1000;

type Options = SessionOptions & {
  /** null if the page is not embedded. */
  frame: Frame | null;
};

/** The page's service over the public API. */
export function apiService({ frame, ...options }: Options): PageService {
  const session = customerSession(options);
  return {
    ...lookups(session),
    ...saves(session),
    ...requests(session),
    ...browser(options.window, frame),
  };
}

function lookups(session: CustomerSession): Pick<PageService, 'find' | 'load'> {
  return {
    find: (who) =>
      attempt(() => session.open(who)).catch((error: unknown) => {
        if (error instanceof ServiceError && error.isFatal) session.forgetRefused(who);
        throw error;
      }),
    load: (customer) => attempt(() => session.loadLists(customer)),
  };
}

type Saves = Pick<PageService, 'saveLists' | 'setGlobal' | 'pause' | 'undo' | 'changeEmail'>;

/** What changes the customer's choices. A repeated save id changes nothing. */
function saves({ saveHeaders, withFreshId, loadLists, keepChangedEmail }: CustomerSession): Saves {
  return {
    saveLists: (customer, lists, { saveId, source, leavesAll }) =>
      attempt(async () => {
        const headers = {
          ...saveHeaders(saveId, source),
          ...(leavesAll && { 'x-unsubscribe-all': '1' as const }),
        };
        const { customerId, answer } = await withFreshId(customer, (id) =>
          callRoute(ROUTES.lists, { params: { customerId: id }, headers, body: lists }),
        );
        const { global_unsubscribe, receipt, pending } = answer;
        // Subscribing to single lists ends a pause; unsubscribing from everything is permanent.
        const paused_until = global_unsubscribe && !leavesAll ? customer.paused_until : null;
        const saved = {
          ...withLists(customer, answer.lists),
          id: customerId,
          global_unsubscribe,
          paused_until,
          pending,
        };
        return { customer: saved, receipt };
      }),

    setGlobal: (customer, globalUnsubscribe, { saveId, source }) =>
      attempt(async () => {
        const headers = saveHeaders(saveId, source);
        const body = { global_unsubscribe: globalUnsubscribe };
        const { answer } = await withFreshId(customer, (id) =>
          callRoute(ROUTES.customer, { params: { customerId: id }, headers, body }),
        );
        const { receipt, ...person } = answer;
        // Resubscribing reveals the former subscriptions, which were hidden during the opt-out.
        const changed = answer.global_unsubscribe ? { ...customer, ...person } : await loadLists(person);
        return { customer: changed, receipt };
      }),

    pause: (customer, days, saveId) =>
      attempt(async () => {
        const headers = saveHeaders(saveId);
        const { answer } = await withFreshId(customer, (id) =>
          callRoute(ROUTES.customer, { params: { customerId: id }, headers, body: { pause_days: days } }),
        );
        const { receipt: _, ...person } = answer;
        return { ...customer, ...person };
      }),

    undo: (customer, receipt, saveId) =>
      attempt(async () => {
        const { 'x-choice-source': _, ...headers } = saveHeaders(saveId);
        const { answer } = await withFreshId(customer, (id) =>
          callRoute(ROUTES.undo, { params: { customerId: id }, headers, body: { receipt } }),
        );
        return loadLists(answer);
      }),

    changeEmail: (customer, email, saveId) =>
      attempt(async () => {
        const headers = saveHeaders(saveId);
        const { answer } = await withFreshId(customer, (id) =>
          callRoute(ROUTES.customer, { params: { customerId: id }, headers, body: { email } }),
        );
        const { receipt: _, ...person } = answer;
        keepChangedEmail(person.email);
        return { ...customer, ...person };
      }),
  };
}

type Requests = Pick<PageService, 'giveReason' | 'requestData' | 'mailFreshLink' | 'endLinks'>;

/** What asks for something besides a choice. */
function requests({ siteHeaders, pageHeaders, withFreshId }: CustomerSession): Requests {
  return {
    giveReason: (customer, receipt, reason) =>
      attempt(async () => {
        const body = { receipt, reason };
        await withFreshId(customer, (id) =>
          callRoute(ROUTES.reason, { params: { customerId: id }, headers: siteHeaders, body }),
        );
      }),

    requestData: (customer, kind) =>
      attempt(async () => {
        const { answer } = await withFreshId(customer, (id) =>
          callRoute(ROUTES.data, { params: { customerId: id }, headers: pageHeaders, body: { kind } }),
        );
        return answer.masked_email;
      }),

    mailFreshLink: (customer) =>
      attempt(async () => {
        const { answer } = await withFreshId(customer, (id) =>
          callRoute(ROUTES.freshLink, { params: { customerId: id }, headers: pageHeaders }),
        );
        return answer.masked_email;
      }),

    endLinks: (customer) =>
      attempt(async () => {
        const { answer } = await withFreshId(customer, (id) =>
          callRoute(ROUTES.endLinks, { params: { customerId: id }, headers: siteHeaders }),
        );
        return { ...customer, ...answer };
      }),
  };
}

type Browser = Pick<
  PageService,
  'newSaveId' | 'hold' | 'seen' | 'forgetLinkState' | 'goToNotFound' | 'isFramed' | 'show'
>;

/** What needs the visitor's window, and no server. */
function browser(window: Window, frame: Frame | null): Browser {
  return {
    newSaveId: randomId,
    hold: () => new Promise((resolve) => window.setTimeout(resolve, LOADER_HOLD_MS)),
    seen: (signal) => visibleFor(window, LOADER_HOLD_MS, signal),
    forgetLinkState: () => removeSavedParams(window),
    goToNotFound: (how) => window.location[how]('/404'),
    isFramed: frame !== null,
    show: (element) => element && frame?.show(element),
  };
}

async function attempt<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw serviceError(error);
  }
}

function serviceError(error: unknown): ServiceError {
  if (!(error instanceof ApiError)) return new ServiceError('server', { isFatal: true });
  const { status, errors } = error;
  if (errors[0]?.code === 'proof_needed') return new ServiceError('expired', { needsProof: true });
  if (errors[0]?.code === 'link_expired') return new ServiceError('link_expired');
  const isPassing = status === 0 || status === 429 || status === 503;
  const failures: Record<number, Failure> = { 0: 'offline', 429: 'busy', 404: 'expired', 409: 'changed' };
  return new ServiceError(failures[status] ?? 'server', { isFatal: !isPassing, isInvalid: status === 422 });
}
