import type account from './locales/en/account.json';
import type actions from './locales/en/actions.json';
import type auth from './locales/en/auth.json';
import type connected from './locales/en/connected.json';
import type customers from './locales/en/customers.json';
import type dashboard from './locales/en/dashboard.json';
import type deliveries from './locales/en/deliveries.json';
import type editing from './locales/en/editing.json';
import type editor from './locales/en/editor.json';
import type imports from './locales/en/imports.json';
import type integrations from './locales/en/integrations.json';
import type lists from './locales/en/lists.json';
import type pages from './locales/en/pages.json';
import type shell from './locales/en/shell.json';
import type site from './locales/en/site.json';
import type survey from './locales/en/survey.json';
import type ui from './locales/en/ui.json';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'ui';
    resources: {
      account: typeof account;
      actions: typeof actions;
      auth: typeof auth;
      connected: typeof connected;
      customers: typeof customers;
      dashboard: typeof dashboard;
      deliveries: typeof deliveries;
      editing: typeof editing;
      editor: typeof editor;
      imports: typeof imports;
      integrations: typeof integrations;
      lists: typeof lists;
      pages: typeof pages;
      shell: typeof shell;
      site: typeof site;
      survey: typeof survey;
      ui: typeof ui;
    };
  }
}
