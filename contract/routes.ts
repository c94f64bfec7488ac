import * as accountData from './account-data.ts';
import * as accountLinks from './account-links.ts';
import * as accounts from './accounts.ts';
import * as actionTests from './action-tests.ts';
import * as actions from './actions.ts';
import * as agentCalls from './agent-calls.ts';
import * as apiKeys from './api-keys.ts';
import * as appSettings from './app-settings.ts';
import * as auditLog from './audit-log.ts';
import * as bulkChanges from './bulk-changes.ts';
import * as checkers from './checkers.ts';
import * as choicePreviews from './choice-previews.ts';
import * as choices from './choices.ts';
import * as comparisons from './comparisons.ts';
import * as complaints from './complaints.ts';
import * as customerViews from './customer-views.ts';
import * as customers from './customers.ts';
import * as dashboard from './dashboard.ts';
import * as deliveries from './deliveries.ts';
import * as domains from './domains.ts';
import * as emailChecks from './email-checks.ts';
import * as evidenceChecks from './evidence-check.ts';
import * as exportRoutes from './exports.ts';
import * as googleSignIn from './google-sign-in.ts';
import * as images from './images.ts';
import * as imports from './imports.ts';
import * as inbound from './inbound.ts';
import * as integrations from './integrations.ts';
import * as lists from './lists.ts';
import * as members from './members.ts';
import * as oauth from './oauth.ts';
import * as organizations from './organizations.ts';
import * as pageDrafts from './page-drafts.ts';
import * as pendingChanges from './pending-changes.ts';
import * as preferencePages from './preference-pages.ts';
import * as proof from './proof.ts';
import * as proposals from './proposals.ts';
import * as publicPreferences from './public-preferences.ts';
import type { Route } from './route.ts';
import * as secondFactorRule from './second-factor-rule.ts';
import * as secondFactors from './second-factors.ts';
import * as sites from './sites.ts';
import * as survey from './survey.ts';
import * as toolLinks from './tool-links.ts';

function isRoute(value: unknown): value is Route {
  return (
    typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'access' in value
  );
}

const NOUNS = [
  accounts,
  accountLinks,
  googleSignIn,
  secondFactorRule,
  secondFactors,
  accountData,
  appSettings,
  survey,
  organizations,
  members,
  sites,
  domains,
  checkers,
  lists,
  preferencePages,
  pageDrafts,
  images,
  emailChecks,
  integrations,
  proposals,
  toolLinks,
  oauth,
  inbound,
  comparisons,
  customers,
  customerViews,
  pendingChanges,
  complaints,
  choices,
  evidenceChecks,
  imports,
  bulkChanges,
  exportRoutes,
  proof,
  actions,
  actionTests,
  choicePreviews,
  deliveries,
  apiKeys,
  auditLog,
  agentCalls,
  dashboard,
  publicPreferences,
] as const;

type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

type Exports = Intersection<(typeof NOUNS)[number]>;

/** Every call of the API by its operation id, each with its precise type. */
export type Operations = {
  [Name in keyof Exports as Exports[Name] extends Route ? Name : never]: Exports[Name];
};

/** Every call of the API by its operation id. */
export const ROUTES: ReadonlyMap<string, Route> = new Map(
  NOUNS.flatMap((noun) => Object.entries(noun as Record<string, unknown>)).filter(
    (entry): entry is [string, Route] => isRoute(entry[1]),
  ),
);
