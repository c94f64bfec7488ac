import { maskEmail, withEndedLink } from './view.ts';
import { withLists, type PageService } from './service.ts';

const dayFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

/** Answers as the API would and sends nothing: for the owner's preview and for rendering on the server. */
export const localService: PageService = {
  find: async (identity) => ({
    id: 'preview',
    level: 'open',
    email: 'email' in identity ? identity.email : 'nora@example.com',
    global_unsubscribe: false,
    paused_until: null,
  }),
  load: async (customer) => ({ lists: [], pending: [], ...customer }),
  saveLists: async (customer, lists, { leavesAll }) => {
    const isBack = lists.some(({ subscribed }) => subscribed);
    const global_unsubscribe = leavesAll || (customer.global_unsubscribe && !isBack);
    const paused_until = leavesAll ? null : customer.paused_until;
    const saved = { ...customer, global_unsubscribe, paused_until };
    return { customer: withLists(saved, lists), receipt: null };
  },
  setGlobal: async (customer, globalUnsubscribe) => ({
    customer: { ...customer, global_unsubscribe: globalUnsubscribe, paused_until: null },
    receipt: null,
  }),
  pause: async (customer, length) => ({
    ...customer,
    global_unsubscribe: true,
    paused_until:
      'pause_until' in length ? `${length.pause_until}T12:00:00.000Z` : dayFromNow(length.pause_days),
  }),
  undo: async (customer) => customer,
  giveReason: async () => {},
  changeEmail: async (customer, email) => ({ ...customer, email }),
  requestData: async (customer) => maskEmail(customer.email),
  complain: async (customer) => ({ masked_email: maskEmail(customer.email), due_at: dayFromNow(30) }),
  mailFreshLink: async (customer) => maskEmail(customer.email),
  resend: async () => {},
  endLinks: async (customer) => withEndedLink(customer),
  progress: async () => 'none',
  newSaveId: () => 'preview',
  hold: async () => {},
  seen: () => new Promise(() => {}),
  forgetLinkState: () => {},
  goToNotFound: () => {},
  isFramed: false,
  show: () => {},
};
