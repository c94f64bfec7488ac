import { ApiError, callRoute } from '#contract/client.ts';
import type { PublicCustomer } from '#contract/public-preferences.ts';
import type { Route, RouteCall, RouteResponse } from '#contract/route.ts';
import { storeInHistory } from './history-entry.ts';
import { ROUTES } from './api-routes.ts';
import { clearIdentity, storeIdentity, type Storage } from './identity.ts';
import type { ChoiceSource, Identity } from './service.ts';
import { mayOnlyLeave, viewCustomer, type PageView, type ViewCustomer } from './view.ts';

export type SessionOptions = {
  view: Pick<PageView, 'custom_path' | 'language' | 'page'>;
  identity: Identity | null;
  storage: Storage | null;
  window: Window;
};

export type CustomerSession = ReturnType<typeof customerSession>;

/** How the page was opened at the API, and the calls that open it again when the customer's sealed id has expired. */
export function customerSession({ view, identity, storage, window }: SessionOptions) {
  const { custom_path, language } = view;
  const siteHeaders = { 'x-site-domain': window.location.host };
  const pageHeaders = { ...siteHeaders, 'x-page-language': language };
  let opened = identity;

  function keep(who: Identity) {
    opened = who;
    storeIdentity(who, storage);
  }

  async function open(who: Identity, renews?: string) {
    const body = { ...who, custom_path, renews };
    const answer = await callRoute(ROUTES.open, { headers: pageHeaders, body });
    keep(who);
    storeInHistory(window, who);
    return answer;
  }

  const saveHeaders = (saveId: string, source: ChoiceSource = 'page') => ({
    ...pageHeaders,
    'idempotency-key': saveId,
    'x-choice-source': source,
  });

  /** The stored identity is invalid: deletes it, so that the next visit starts without it. */
  function forgetRefused(who: Identity) {
    if (who !== identity) return;
    clearIdentity(storage);
    storeInHistory(window, null);
  }

  /** Opened by an address, the page is opened by the changed one from now on. */
  function keepChangedEmail(email: string) {
    if (opened && 'email' in opened) keep({ email });
  }

  async function loadLists(customer: PublicCustomer): Promise<ViewCustomer> {
    const page = await callRoute(ROUTES.page, {
      params: { customerId: customer.id, custom_path },
      headers: siteHeaders,
    });
    const gone = view.page.lists.filter(({ id }) => !page.lists.some((list) => list.id === id));
    return { ...viewCustomer(page), gone: gone.map(({ id }) => id) };
  }

  /**
   * Calls a route of the customer. A session token expires after a day; a page open for longer gets a new one in the
   * way it was opened.
   */
  async function callFor<R extends Route>(
    customer: ViewCustomer,
    route: R,
    given: Omit<RouteCall<R>, 'params'>,
  ): Promise<RouteResponse<R>> {
    const callAs = (customerId: string) =>
      callRoute(route, { ...given, params: { customerId } } as RouteCall<R>);
    try {
      return await callAs(customer.id);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      const who = opened ?? (mayOnlyLeave(customer) ? null : { email: customer.email });
      // A masked address finds nobody.
      if (who === null) throw error;
      const { id } = await open(who, customer.id);
      return callAs(id);
    }
  }

  return {
    siteHeaders,
    pageHeaders,
    saveHeaders,
    open,
    forgetRefused,
    keepChangedEmail,
    loadLists,
    callFor,
  };
}
