import { ApiError, callRoute } from '#contract/client.ts';
import type {
  endOwnLinks,
  getCustomerPage,
  giveReason,
  mailFreshLink,
  openCustomer,
  PublicCustomer,
  requestData,
  saveLists,
  undoChoice,
  updatePublicCustomer,
} from '#contract/public-preferences.ts';
import type { Route } from '#contract/route.ts';
import { randomId } from '#web/ui/random-id.ts';
import { forgetLink, keepInEntry } from './address.ts';
import type { Frame } from './framed.ts';
import { forget, remember, type Storage } from './identity.ts';
import { ServiceError, withLists, type Failure, type Identity, type PageService } from './service.ts';
import { mayOnlyLeave, viewCustomer, type PageView, type ViewCustomer } from './view.ts';

// Method and path are all that a call needs at run time; the schemas would bring zod to every visitor.
// TypeScript holds each of them to the contract's own literal.
function routeOf<R extends Route>(route: Pick<R, 'method' | 'path'>): R {
  return route as R;
}

export const ROUTES = {
  open: routeOf<typeof openCustomer>({ method: 'POST', path: '/customer/v1/customers' }),
  page: routeOf<typeof getCustomerPage>({
    method: 'GET',
    path: '/customer/v2/customers/{customerId}/preferences/{custom_path}',
  }),
  lists: routeOf<typeof saveLists>({ method: 'PUT', path: '/customer/v1/customers/{customerId}/lists' }),
  customer: routeOf<typeof updatePublicCustomer>({
    method: 'PATCH',
    path: '/customer/v1/customers/{customerId}',
  }),
  undo: routeOf<typeof undoChoice>({ method: 'POST', path: '/customer/v1/customers/{customerId}/undo' }),
  reason: routeOf<typeof giveReason>({
    method: 'POST',
    path: '/customer/v1/customers/{customerId}/reason',
  }),
  freshLink: routeOf<typeof mailFreshLink>({
    method: 'POST',
    path: '/customer/v1/customers/{customerId}/fresh-link',
  }),
  endLinks: routeOf<typeof endOwnLinks>({
    method: 'POST',
    path: '/customer/v1/customers/{customerId}/links/end',
  }),
  data: routeOf<typeof requestData>({
    method: 'POST',
    path: '/customer/v1/customers/{customerId}/data-requests',
  }),
};

const LOADER_HOLD_MS = 1000;

type Options = {
  view: Pick<PageView, 'custom_path' | 'language'>;
  identity: Identity | null;
  storage: Storage | null;
  window: Window;
  /** null where the page stands by itself. */
  frame: Frame | null;
};

function serviceError(error: unknown): ServiceError {
  if (!(error instanceof ApiError)) return new ServiceError('server', { isFatal: true });
  const { status, errors } = error;
  if (errors[0]?.code === 'proof_needed') return new ServiceError('expired', { needsProof: true });
  if (errors[0]?.code === 'link_expired') return new ServiceError('link_expired');
  const isPassing = status === 0 || status === 429 || status === 503;
  const failures: Record<number, Failure> = { 0: 'offline', 429: 'busy', 404: 'expired', 409: 'changed' };
  return new ServiceError(failures[status] ?? 'server', { isFatal: !isPassing, isInvalid: status === 422 });
}

async function attempt<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw serviceError(error);
  }
}

/** The page's service over the public API. */
export function apiService({ view, identity, storage, window, frame }: Options): PageService {
  const { custom_path, language } = view;
  const scope = { 'x-site-domain': window.location.host };
  let opened = identity;

  const headersOf = (saveId: string, source: 'page' | 'state_link' = 'page') => ({
    ...scope,
    'idempotency-key': saveId,
    'x-page-language': language,
    'x-choice-source': source,
  });

  async function open(who: Identity) {
    const answer = await callRoute(ROUTES.open, {
      headers: { ...scope, 'x-page-language': language },
      body: { ...who, custom_path },
    });
    opened = who;
    remember(who, storage);
    keepInEntry(window, who);
    return answer;
  }

  async function loadLists(customer: PublicCustomer) {
    const page = await callRoute(ROUTES.page, {
      params: { customerId: customer.id, custom_path },
      headers: scope,
    });
    return viewCustomer(customer, page);
  }

  // A sealed id lives for a day; a page left open longer gets a fresh one by the way it was opened.
  async function withFreshId<T>(customer: ViewCustomer, call: (customerId: string) => Promise<T>) {
    try {
      return { customerId: customer.id, answer: await call(customer.id) };
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      const who = opened ?? (mayOnlyLeave(customer) ? null : { email: customer.email });
      // A masked address finds nobody.
      if (who === null) throw error;
      const { id } = await open(who);
      return { customerId: id, answer: await call(id) };
    }
  }

  return {
    find: (who) =>
      attempt(() => open(who)).catch((error: unknown) => {
        if (error instanceof ServiceError && error.isFatal && who === identity) {
          forget(storage);
          keepInEntry(window, null);
        }
        throw error;
      }),

    load: (customer) => attempt(() => loadLists(customer)),

    saveLists: (customer, lists, { saveId, source, leavesAll }) =>
      attempt(async () => {
        const headers = {
          ...headersOf(saveId, source),
          ...(leavesAll && { 'x-unsubscribe-all': '1' as const }),
        };
        const { customerId, answer } = await withFreshId(customer, (id) =>
          callRoute(ROUTES.lists, { params: { customerId: id }, headers, body: lists }),
        );
        const { global_unsubscribe, receipt, pending } = answer;
        // Coming back by single lists ends what the page showed before as left; leaving everything is for good.
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
        const headers = headersOf(saveId, source);
        const body = { global_unsubscribe: globalUnsubscribe };
        const { answer } = await withFreshId(customer, (id) =>
          callRoute(ROUTES.customer, { params: { customerId: id }, headers, body }),
        );
        const { receipt, ...person } = answer;
        // Coming back shows what was there before, which a person who had left everything was not told.
        const changed = answer.global_unsubscribe ? { ...customer, ...person } : await loadLists(person);
        return { customer: changed, receipt };
      }),

    pause: (customer, days, saveId) =>
      attempt(async () => {
        const headers = headersOf(saveId);
        const { answer } = await withFreshId(customer, (id) =>
          callRoute(ROUTES.customer, { params: { customerId: id }, headers, body: { pause_days: days } }),
        );
        const { receipt: _, ...person } = answer;
        return { ...customer, ...person };
      }),

    undo: (customer, receipt, saveId) =>
      attempt(async () => {
        const { 'x-choice-source': _, ...headers } = headersOf(saveId);
        const { answer } = await withFreshId(customer, (id) =>
          callRoute(ROUTES.undo, { params: { customerId: id }, headers, body: { receipt } }),
        );
        return loadLists(answer);
      }),

    giveReason: (customer, receipt, reason) =>
      attempt(async () => {
        await withFreshId(customer, (id) =>
          callRoute(ROUTES.reason, {
            params: { customerId: id },
            headers: scope,
            body: { receipt, reason },
          }),
        );
      }),

    changeEmail: (customer, email, saveId) =>
      attempt(async () => {
        const headers = headersOf(saveId);
        const { answer } = await withFreshId(customer, (id) =>
          callRoute(ROUTES.customer, { params: { customerId: id }, headers, body: { email } }),
        );
        const { receipt: _, ...person } = answer;
        if (opened && 'email' in opened) {
          opened = { email: person.email };
          remember(opened, storage);
        }
        return { ...customer, ...person };
      }),

    requestData: (customer, kind) =>
      attempt(async () => {
        const headers = { ...scope, 'x-page-language': language };
        const { answer } = await withFreshId(customer, (id) =>
          callRoute(ROUTES.data, { params: { customerId: id }, headers, body: { kind } }),
        );
        return answer.masked_email;
      }),

    mailFreshLink: (customer) =>
      attempt(async () => {
        const headers = { ...scope, 'x-page-language': language };
        const { answer } = await withFreshId(customer, (id) =>
          callRoute(ROUTES.freshLink, { params: { customerId: id }, headers }),
        );
        return answer.masked_email;
      }),

    endLinks: (customer) =>
      attempt(async () => {
        const { answer } = await withFreshId(customer, (id) =>
          callRoute(ROUTES.endLinks, { params: { customerId: id }, headers: scope }),
        );
        return { ...customer, ...answer };
      }),

    newSaveId: randomId,

    hold: () => new Promise((resolve) => window.setTimeout(resolve, LOADER_HOLD_MS)),
    seen: (signal) => seenFor(window, LOADER_HOLD_MS, signal),

    forgetLinkState: () => forgetLink(window),

    goToNotFound: (how) => window.location[how]('/404'),
    isFramed: frame !== null,
    show: (element) => element && frame?.show(element),
  };
}

/** Prerendered and hidden pages have been seen by nobody: `hidden` covers both (a prerendering document is hidden). */
function seenFor(window: Window, ms: number, signal: AbortSignal): Promise<void> {
  const { document } = window;
  return new Promise((resolve) => {
    let timer: number | undefined;
    const restart = () => {
      window.clearTimeout(timer);
      if (document.visibilityState === 'visible') timer = window.setTimeout(finish, ms);
    };
    const stop = () => {
      window.clearTimeout(timer);
      document.removeEventListener('visibilitychange', restart);
    };
    const finish = () => {
      stop();
      resolve();
    };
    document.addEventListener('visibilitychange', restart);
    signal.addEventListener('abort', stop);
    restart();
  });
}
