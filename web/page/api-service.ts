import { ApiError } from '#contract/client.ts';
import type { PauseLength } from '#contract/public-preferences.ts';
import { randomId } from '#web/ui/random-id.ts';
import { removeSavedParams } from './history-entry.ts';
import { ROUTES } from './api-routes.ts';
import { type CustomerSession, customerSession, type SessionOptions } from './customer-session.ts';
import type { Frame } from './framed.ts';
import { ServiceError, withLists, type ChoiceSource, type Failure, type PageService } from './service.ts';
import type { ViewCustomer } from './view.ts';
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
function saves({ saveHeaders, callFor, loadLists, keepChangedEmail }: CustomerSession): Saves {
  /** A change of the customer's own record. */
  async function update(
    customer: ViewCustomer,
    body: { global_unsubscribe: boolean } | PauseLength | { email: string },
    saveId: string,
    source?: ChoiceSource,
  ) {
    const headers = saveHeaders(saveId, source);
    const { receipt, ...person } = await callFor(customer, ROUTES.customer, { headers, body });
    return { person, receipt, changed: { ...customer, ...person } };
  }

  return {
    saveLists: (customer, body, { saveId, source, leavesAll }) =>
      attempt(async () => {
        const headers = {
          ...saveHeaders(saveId, source),
          ...(leavesAll && { 'x-unsubscribe-all': '1' as const }),
        };
        const saved = await callFor(customer, ROUTES.lists, { headers, body });
        return {
          customer: {
            ...withLists(customer, saved.lists),
            ...saved.customer,
            pending: saved.pending,
            gone: saved.ignored.concat(customer.gone ?? []),
          },
          receipt: saved.receipt,
          ignored: saved.ignored.length > 0,
        };
      }),

    setGlobal: (customer, global_unsubscribe, { saveId, source }) =>
      attempt(async () => {
        const { person, receipt, changed } = await update(customer, { global_unsubscribe }, saveId, source);
        // Resubscribing reveals the former subscriptions, which were hidden during the opt-out.
        return { customer: person.global_unsubscribe ? changed : await loadLists(person), receipt };
      }),

    pause: (customer, length, saveId) =>
      attempt(async () => (await update(customer, length, saveId)).changed),

    undo: (customer, receipt, saveId) =>
      attempt(async () => {
        const { 'x-choice-source': _, ...headers } = saveHeaders(saveId);
        return loadLists(await callFor(customer, ROUTES.undo, { headers, body: { receipt } }));
      }),

    changeEmail: (customer, email, saveId) =>
      attempt(async () => {
        const { person, changed } = await update(customer, { email }, saveId);
        keepChangedEmail(person.email);
        return changed;
      }),
  };
}

type Requests = Pick<
  PageService,
  'progress' | 'giveReason' | 'requestData' | 'complain' | 'mailFreshLink' | 'resend' | 'endLinks'
>;

/** What asks for something besides a choice. */
function requests({ siteHeaders, pageHeaders, callFor }: CustomerSession): Requests {
  return {
    progress: (customer) =>
      attempt(async () => {
        const call = callFor(customer, ROUTES.progress, { headers: siteHeaders });
        return (await call).state;
      }),

    giveReason: (customer, receipt, reason) =>
      attempt(async () => {
        await callFor(customer, ROUTES.reason, { headers: siteHeaders, body: { receipt, reason } });
      }),

    requestData: (customer, kind) =>
      attempt(async () => {
        const call = callFor(customer, ROUTES.data, { headers: pageHeaders, body: { kind } });
        return (await call).masked_email;
      }),

    complain: (customer, text) =>
      attempt(async () => {
        const call = callFor(customer, ROUTES.complain, { headers: pageHeaders, body: { text } });
        return await call;
      }),

    mailFreshLink: (customer) =>
      attempt(async () => {
        const call = callFor(customer, ROUTES.freshLink, { headers: pageHeaders });
        return (await call).masked_email;
      }),

    resend: (customer, kind) =>
      attempt(async () => {
        await callFor(customer, ROUTES.resend, { headers: pageHeaders, body: { kind } });
      }),

    endLinks: (customer) =>
      attempt(async () => {
        const call = callFor(customer, ROUTES.endLinks, { headers: siteHeaders });
        return { ...customer, ...(await call) };
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
    seen: (signal, ms = LOADER_HOLD_MS) => visibleFor(window, ms, signal),
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
