import { withLists, type PageService } from './service.ts';

/** Answers as the API would and sends nothing: for the owner's preview and for rendering on the server. */
export const localService: PageService = {
  find: async (identity) => ({
    id: 'preview',
    email: 'email' in identity ? identity.email : 'nora@example.com',
    global_unsubscribe: false,
  }),
  load: async (customer) => ({ ...customer, lists: [] }),
  saveLists: async (customer, lists) => {
    const isBack = lists.some(({ subscribed }) => subscribed);
    return withLists({ ...customer, global_unsubscribe: customer.global_unsubscribe && !isBack }, lists);
  },
  setGlobal: async (customer, globalUnsubscribe) => ({ ...customer, global_unsubscribe: globalUnsubscribe }),
  changeEmail: async (customer, email) => ({ ...customer, email }),
  newSaveId: () => 'preview',
  hold: async () => {},
  seen: () => new Promise(() => {}),
  forgetLinkState: () => {},
  goToNotFound: () => {},
};
