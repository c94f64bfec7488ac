import { escapeHtml, escapeJson } from './escape.ts';
import { isShownOn, mayOnlyLeave, NO_QUERY, type PageView, type ViewCustomer } from './view.ts';

/*
 * The pages of known customers differ only in their address, their switches and their tokens. A template is the
 * rendered document with placeholders for those; filling it in costs a fraction of rendering, and gives the same
 * result.
 */

/** Step `preferences` as first opened: no notice, no request by the link. */
export type ArrivalView = PageView & { step: 'preferences'; customer: ViewCustomer };

/** Whether a template covers the view. Pauses and aged links show more, and are rare enough to be rendered. */
export function isArrival(view: PageView): view is ArrivalView {
  return (
    view.step === 'preferences' &&
    view.customer !== null &&
    view.customer.paused_until === null &&
    !mayOnlyLeave(view.customer) &&
    view.customer.pending.length === 0 &&
    view.customer.email.includes('@') &&
    view.notice === null &&
    view.query.state === null &&
    view.query.listId === null &&
    // A link with both may need the notice about another person.
    (view.query.challenge === null || view.query.email === null) &&
    !view.leaves_all &&
    Object.keys(view.edits).length === 0
  );
}

/** Arrivals at the same page, in the same language and with the same key share a template. */
export function templateKey({ customer, query }: ArrivalView): string {
  const isKnownBy = query.challenge !== null ? 'challenge' : query.email !== null ? 'email' : '';
  return [customer.global_unsubscribe ? 'left' : 'here', customer.level, isKnownBy].join(':');
}

type Place = { written: string; valueOf: (view: ArrivalView, place: number) => string };

const CHECKED = ' checked=""';

const mark = () => `m${crypto.randomUUID().replaceAll('-', '')}`;

const inAddress = (value: string | null) => new URLSearchParams({ '': value ?? '' }).toString().slice(1);

/** The view with unique marks as placeholders, and the placeholders, longer values before those they contain. */
function markedView(view: ArrivalView): { marked: PageView; places: Place[] } {
  const [id, saveId, local, domain, challenge, email] = [mark(), mark(), mark(), mark(), mark(), mark()];
  const customer: ViewCustomer = {
    ...view.customer,
    id,
    email: `${local}@${domain}`,
    lists: view.page.lists.map((list) => ({ id: list.id, subscribed: true })),
  };
  const query = {
    ...NO_QUERY,
    challenge: view.query.challenge === null ? null : challenge,
    email: view.query.email === null ? null : email,
  };
  const splitEmail = ({ customer: { email: whole } }: ArrivalView) => {
    const at = whole.lastIndexOf('@');
    return { local: whole.slice(0, at), domain: whole.slice(at + 1) };
  };
  const places: Place[] = [
    { written: escapeJson(customer), valueOf: (one) => escapeJson(one.customer) },
    { written: escapeJson(query), valueOf: (one) => escapeJson(one.query) },
    { written: id, valueOf: (one) => escapeHtml(one.customer.id) },
    { written: saveId, valueOf: (one) => escapeHtml(one.save_id) },
    { written: local, valueOf: (one) => escapeHtml(splitEmail(one).local) },
    { written: domain, valueOf: (one) => escapeHtml(splitEmail(one).domain) },
    { written: challenge, valueOf: (one) => inAddress(one.query.challenge) },
    { written: email, valueOf: (one) => inAddress(one.query.email) },
    {
      // React writes it for switches that are on, and escapes it wherever it is text.
      written: CHECKED,
      valueOf: ({ page, customer: one }, place) => {
        const list = page.lists[place];
        return list !== undefined && isShownOn(list, one) ? CHECKED : '';
      },
    },
  ];
  return { marked: { ...view, customer, query, save_id: saveId }, places };
}

/** Static text, or the function that fills a placeholder. */
export type TemplatePart = string | ((view: ArrivalView) => string);

/**
 * Renders a view once for all views with the same template key.
 * @param render renders the whole document of a view
 * @returns the document in parts; each view of the same page, language and key fills the placeholders
 */
export function templateParts(view: ArrivalView, render: (view: PageView) => string): TemplatePart[] {
  const { marked, places } = markedView(view);
  const written = places.map((place) => place.written.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const parts = render(marked).split(new RegExp(`(${written.join('|')})`));
  let switches = 0;
  return parts.map((part) => {
    const place = places.find((one) => one.written === part);
    if (place === undefined) return part;
    const index = part === CHECKED ? switches++ : 0;
    return (one: ArrivalView) => place.valueOf(one, index);
  });
}

/** @returns a function that fills in the document of another view of the same page, language and key */
export function templateOf(
  view: ArrivalView,
  render: (view: PageView) => string,
): (view: ArrivalView) => string {
  const parts = templateParts(view, render);
  return (one) => parts.map((part) => (typeof part === 'string' ? part : part(one))).join('');
}
