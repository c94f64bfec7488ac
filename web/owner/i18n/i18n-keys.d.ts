import type account from '../locales/en/account.json';
import type actions from '../locales/en/actions.json';
import type apiKeys from '../locales/en/api-keys.json';
import type auth from '../locales/en/auth.json';
import type bulkChanges from '../locales/en/bulk-changes.json';
import type commands from '../locales/en/commands.json';
import type complaints from '../locales/en/complaints.json';
import type connected from '../locales/en/connected.json';
import type customerFilters from '../locales/en/customer-filters.json';
import type customers from '../locales/en/customers.json';
import type dashboard from '../locales/en/dashboard.json';
import type deliveries from '../locales/en/deliveries.json';
import type editing from '../locales/en/editing.json';
import type emailCheck from '../locales/en/email-check.json';
import type evidenceCheck from '../locales/en/evidence-check.json';
import type figures from '../locales/en/figures.json';
import type firstSteps from '../locales/en/first-steps.json';
import type editor from '../locales/en/editor.json';
import type imports from '../locales/en/imports.json';
import type integrations from '../locales/en/integrations.json';
import type lists from '../locales/en/lists.json';
import type pages from '../locales/en/pages.json';
import type secondFactor from '../locales/en/second-factor.json';
import type settings from '../locales/en/settings.json';
import type shell from '../locales/en/shell.json';
import type site from '../locales/en/site.json';
import type survey from '../locales/en/survey.json';
import type team from '../locales/en/team.json';
import type testMode from '../locales/en/test-mode.json';
import type ui from '../locales/en/ui.json';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'ui';
    resources: {
      account: typeof account;
      actions: typeof actions;
      'api-keys': typeof apiKeys;
      auth: typeof auth;
      'bulk-changes': typeof bulkChanges;
      commands: typeof commands;
      complaints: typeof complaints;
      connected: typeof connected;
      'customer-filters': typeof customerFilters;
      customers: typeof customers;
      dashboard: typeof dashboard;
      deliveries: typeof deliveries;
      editing: typeof editing;
      'email-check': typeof emailCheck;
      'evidence-check': typeof evidenceCheck;
      figures: typeof figures;
      'first-steps': typeof firstSteps;
      editor: typeof editor;
      imports: typeof imports;
      integrations: typeof integrations;
      lists: typeof lists;
      pages: typeof pages;
      'second-factor': typeof secondFactor;
      settings: typeof settings;
      shell: typeof shell;
      site: typeof site;
      survey: typeof survey;
      team: typeof team;
      'test-mode': typeof testMode;
      ui: typeof ui;
    };
  }
}
