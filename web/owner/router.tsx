import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type ParsedLocation,
  redirect,
  type StaticDataRouteOption,
} from '@tanstack/react-router';
import i18next, { type FlatNamespace } from 'i18next';
import { ACCOUNT_LINK_PATH } from '#contract/account-links.ts';
import { AUDIT_NOUNS, type AuditNoun } from '#contract/audit-log.ts';
import { LEAVE_REASONS, type LeaveReason, type Move, MOVES } from '#contract/choices.ts';
import { DASHBOARD_RANGES, type DashboardRange } from '#contract/dashboard.ts';
import { DELIVERY_STATUSES, type DeliveryStatus } from '#contract/deliveries.ts';
import { SIGN_IN_RETURN_PATH } from '#contract/google-sign-in.ts';
import { INVITATION_PATH } from '#contract/members.ts';
import { OAUTH_RETURN_PATH } from '#contract/oauth.ts';
import { SECOND_STEP_PATH, SET_UP_PATH } from '#contract/second-factor-rule.ts';
import { guard, safeNext } from './guard.logic.ts';
import { queryClient } from './query.ts';
import { ahead, partsOfScreens } from './read-ahead.ts';
import { momentOf, oneOf, textsOf } from './search.logic.ts';
import { logOut, readAuth } from './session.ts';
import { settingsQuery } from './settings.ts';
import { AppLoader } from './shell/AppLoader.tsx';
import { SECTION_IDS, type SectionId } from './screens/account/sections.ts';
// Early, for they read the address before the router does.
import './screens/auth/redirect-arrival.ts';
import './screens/integrations/arrival.ts';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { Root } from './shell/Root.tsx';
import { showTitle, type TitleKey } from './shell/titles.ts';
import { UnexpectedError } from './shell/UnexpectedError.tsx';

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
  interface HistoryState {
    /** On the way to /login: ends the session, once nothing holds the person back. */
    signOut?: boolean;
  }
  interface StaticDataRouteOption {
    /** Without one the title is the product's name. */
    title?: TitleKey;
    isAuthRequired?: boolean;
  }
}

interface Entering {
  location: ParsedLocation;
  /** Only fetched ahead, when a link is pointed at. */
  preload: boolean;
}

interface Entered extends StaticDataRouteOption {
  isAppOnly?: boolean;
  /** Namespaces of its texts, so that it never waits for them once it shows. */
  texts?: readonly FlatNamespace[];
  /** A lazy screen that the route does not name as its component, because it takes props. */
  screen?: { preload?: () => Promise<void> | undefined };
}

/** The navigation guard of spec section 4, for a route with these flags. */
function guarded({ isAppOnly = true, texts = [], screen, ...staticData }: Entered = {}) {
  return {
    staticData,
    async beforeLoad({ location, preload }: Entering): Promise<void> {
      const settings = await queryClient.ensureQueryData(settingsQuery).catch(() => null);
      if (location.state.signOut && !preload) {
        void logOut();
        throw redirect({ to: '/login', replace: true });
      }
      const verdict = guard(
        {
          path: location.pathname,
          href: location.href,
          isAuthRequired: staticData.isAuthRequired ?? false,
          isAppOnly,
        },
        readAuth(),
        window.location,
        settings?.app_url ?? null,
      );
      if (verdict.kind === 'leave') {
        window.location.assign(verdict.url);
        await new Promise<never>(() => {});
      }
      if (verdict.kind === 'go') {
        throw redirect({ to: verdict.to, search: verdict.next ? { next: verdict.next } : {}, replace: true });
      }
      if (!preload) showTitle(staticData.title, i18next.getFixedT(null, 'shell'));
      ahead.read?.(location);
    },
    async loader(): Promise<void> {
      await Promise.all([i18next.loadNamespaces(texts), screen?.preload?.()]);
    },
  };
}

/** A screen of the shell: only for who is logged in. */
function inShell(entered: Entered) {
  const route = guarded({ ...entered, isAuthRequired: true });
  partsOfScreens.push(() => route.loader());
  return { ...route, pendingComponent: Skeleton };
}

const rootRoute = createRootRoute({
  component: Root,
  notFoundComponent: lazyRouteComponent(
    () => import('./screens/not-found/NotFoundScreen.tsx'),
    'NotFoundScreen',
  ),
});

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/login', replace: true });
  },
});

function nextOf(search: Record<string, unknown>): { next?: string } {
  const next = safeNext(search['next']);
  return next === undefined ? {} : { next };
}

const LoginScreen = lazyRouteComponent(() => import('./screens/auth/LoginScreen.tsx'), 'LoginScreen');

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  validateSearch: (search): { next?: string; notice?: 'account-deleted' } => {
    const isDeleted = search['notice'] === 'account-deleted';
    return { ...nextOf(search), ...(isDeleted ? { notice: 'account-deleted' } : {}) };
  },
  ...guarded({ screen: LoginScreen, texts: ['auth'] }),
  component: function Login() {
    const { next, notice } = loginRoute.useSearch();
    return <LoginScreen next={next} isAccountDeleted={notice === 'account-deleted'} />;
  },
});

const secondStepRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: SECOND_STEP_PATH,
  validateSearch: nextOf,
  ...guarded({ texts: ['second-factor'] }),
  component: lazyRouteComponent(
    () => import('./screens/second-factor/SecondStepScreen.tsx'),
    'SecondStepScreen',
  ),
});

const setUpRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: SET_UP_PATH,
  validateSearch: nextOf,
  ...guarded({ isAuthRequired: true, texts: ['second-factor'] }),
  component: lazyRouteComponent(() => import('./screens/second-factor/SetUpScreen.tsx'), 'SetUpScreen'),
});

const signupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/signup',
  ...guarded({ texts: ['auth'] }),
  component: lazyRouteComponent(() => import('./screens/auth/SignupScreen.tsx'), 'SignupScreen'),
});

const ResetPasswordScreen = lazyRouteComponent(
  () => import('./screens/auth/ResetPasswordScreen.tsx'),
  'ResetPasswordScreen',
);

const resetPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reset-password',
  validateSearch: (search): { token?: string } =>
    typeof search['token'] === 'string' ? { token: search['token'] } : {},
  ...guarded({ screen: ResetPasswordScreen, texts: ['auth'] }),
  component: function ResetPassword() {
    const { token } = resetPasswordRoute.useSearch();
    return <ResetPasswordScreen token={token} key={token} />;
  },
});

const AcceptInvitationScreen = lazyRouteComponent(
  () => import('./screens/invitation/AcceptInvitationScreen.tsx'),
  'AcceptInvitationScreen',
);

const signInReturnRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: SIGN_IN_RETURN_PATH,
  ...guarded({ texts: ['auth'] }),
  component: lazyRouteComponent(() => import('./screens/auth/SignInReturnScreen.tsx'), 'SignInReturnScreen'),
});

const ConfirmLinkScreen = lazyRouteComponent(
  () => import('./screens/auth/ConfirmLinkScreen.tsx'),
  'ConfirmLinkScreen',
);

const confirmLinkRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: ACCOUNT_LINK_PATH,
  validateSearch: (search): { token?: string } =>
    typeof search['token'] === 'string' ? { token: search['token'] } : {},
  ...guarded({ screen: ConfirmLinkScreen, texts: ['auth'] }),
  component: function ConfirmLink() {
    const { token } = confirmLinkRoute.useSearch();
    return <ConfirmLinkScreen token={token} key={token} />;
  },
});

const acceptInvitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: INVITATION_PATH,
  validateSearch: (search): { token?: string } =>
    typeof search['token'] === 'string' ? { token: search['token'] } : {},
  ...guarded({ screen: AcceptInvitationScreen, texts: ['team', 'auth'] }),
  component: function AcceptInvitation() {
    const { token } = acceptInvitationRoute.useSearch();
    return <AcceptInvitationScreen token={token} key={token} />;
  },
});

const surveyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/signup-survey',
  ...guarded({ title: 'survey', isAuthRequired: true, texts: ['survey'] }),
  component: lazyRouteComponent(() => import('./screens/survey/SurveyScreen.tsx'), 'SurveyScreen'),
});

const notFoundRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/404',
  ...guarded({ isAppOnly: false }),
  component: lazyRouteComponent(() => import('./screens/not-found/NotFoundScreen.tsx'), 'NotFoundScreen'),
});

const unknownRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '$',
  beforeLoad: () => {
    throw redirect({ to: '/404', replace: true });
  },
});

const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  component: lazyRouteComponent(() => import('./shell/Shell.tsx'), 'Shell'),
});

const dashboardRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/dashboard',
  validateSearch: (search: Record<string, unknown>): { range?: DashboardRange | undefined } => ({
    range: oneOf(search['range'], DASHBOARD_RANGES),
  }),
  ...inShell({ title: 'dashboard', texts: ['dashboard', 'figures'] }),
  component: lazyRouteComponent(() => import('./screens/dashboard/DashboardScreen.tsx'), 'DashboardScreen'),
});

interface SettingsSearch {
  section?: SectionId;
  noun?: AuditNoun;
  actor?: string;
}

const accountSettingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/account-settings',
  validateSearch: (search): SettingsSearch => {
    const section = oneOf(search['section'], SECTION_IDS);
    const noun = oneOf(search['noun'], AUDIT_NOUNS);
    return { ...textsOf(search, ['actor']), ...(section && { section }), ...(noun && { noun }) };
  },
  ...inShell({
    title: 'account_settings',
    texts: ['account', 'settings', 'second-factor', 'auth', 'survey', 'actions', 'pages', 'team', 'api-keys'],
  }),
  component: lazyRouteComponent(
    () => import('./screens/account/AccountSettingsScreen.tsx'),
    'AccountSettingsScreen',
  ),
});

const siteSettingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/site-settings',
  ...inShell({ title: 'site_settings', texts: ['site'] }),
  component: lazyRouteComponent(
    () => import('./screens/site-settings/SiteSettingsScreen.tsx'),
    'SiteSettingsScreen',
  ),
});

const listsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/lists',
  ...inShell({ title: 'lists', texts: ['lists', 'figures', 'editing'] }),
  component: lazyRouteComponent(() => import('./screens/lists/ListsScreen.tsx'), 'ListsScreen'),
});

const ListEditorScreen = lazyRouteComponent(
  () => import('./screens/lists/ListEditorScreen.tsx'),
  'ListEditorScreen',
);

const createListRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/create-list/$id',
  ...inShell({ screen: ListEditorScreen, texts: ['lists', 'editing'] }),
  component: function CreateList() {
    const { id } = createListRoute.useParams();
    return <ListEditorScreen id={id} key={id} />;
  },
});

const actionsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/actions',
  validateSearch: (search): { edit?: string; tool?: string } => textsOf(search, ['edit', 'tool']),
  ...inShell({ title: 'actions', texts: ['actions', 'figures', 'deliveries', 'editing'] }),
  component: lazyRouteComponent(() => import('./screens/actions/ActionsScreen.tsx'), 'ActionsScreen'),
});

interface DeliverySearch {
  status?: DeliveryStatus | undefined;
  action_id?: string | undefined;
  customer_id?: string | undefined;
  integration_id?: string | undefined;
  late?: 'true' | undefined;
  unconfirmed?: 'true' | undefined;
  since?: string | undefined;
  delivery?: string | undefined;
}

const deliveriesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/deliveries',
  validateSearch: (search: Record<string, unknown>): DeliverySearch => ({
    ...textsOf(search, ['action_id', 'customer_id', 'integration_id', 'delivery']),
    status: oneOf(search['status'], DELIVERY_STATUSES),
    late: oneOf(search['late'], ['true'] as const),
    unconfirmed: oneOf(search['unconfirmed'], ['true'] as const),
    since: momentOf(search['since']),
  }),
  ...inShell({ title: 'deliveries', texts: ['deliveries', 'figures'] }),
  component: lazyRouteComponent(
    () => import('./screens/deliveries/DeliveriesScreen.tsx'),
    'DeliveriesScreen',
  ),
});

interface ChoiceSearch {
  since?: string | undefined;
  move?: Move | undefined;
  list_id?: string | undefined;
  reason?: LeaveReason | undefined;
}

const customersRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/customers',
  validateSearch: (search: Record<string, unknown>): { search?: string | undefined } =>
    textsOf(search, ['search']),
  ...inShell({ title: 'customers', texts: ['customers'] }),
  component: lazyRouteComponent(() => import('./screens/customers/CustomersScreen.tsx'), 'CustomersScreen'),
});

const CustomerScreen = lazyRouteComponent(
  () => import('./screens/customers/CustomerScreen.tsx'),
  'CustomerScreen',
);

const customerRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/customers/$id',
  ...inShell({ title: 'customers', screen: CustomerScreen, texts: ['customers', 'deliveries'] }),
  component: function Customer() {
    const { id } = customerRoute.useParams();
    return <CustomerScreen id={id} key={id} />;
  },
});

const evidenceRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/evidence',
  validateSearch: (search: Record<string, unknown>): ChoiceSearch => ({
    ...textsOf(search, ['list_id']),
    since: momentOf(search['since']),
    move: oneOf(search['move'], MOVES),
    reason: oneOf(search['reason'], LEAVE_REASONS),
  }),
  ...inShell({ title: 'evidence', texts: ['figures', 'evidence-check', 'customers', 'deliveries'] }),
  component: lazyRouteComponent(() => import('./screens/evidence/EvidenceScreen.tsx'), 'EvidenceScreen'),
});

const importsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/imports',
  ...inShell({ title: 'imports', texts: ['imports'] }),
  component: lazyRouteComponent(() => import('./screens/imports/ImportsScreen.tsx'), 'ImportsScreen'),
});

const newImportRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/imports/new',
  ...inShell({ title: 'imports', texts: ['imports', 'editing'] }),
  component: lazyRouteComponent(() => import('./screens/imports/NewImportScreen.tsx'), 'NewImportScreen'),
});

const ImportScreen = lazyRouteComponent(() => import('./screens/imports/ImportScreen.tsx'), 'ImportScreen');

const importRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/imports/$id',
  ...inShell({ title: 'imports', screen: ImportScreen, texts: ['imports'] }),
  component: function Import() {
    const { id } = importRoute.useParams();
    return <ImportScreen id={id} key={id} />;
  },
});

const connectedRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: OAUTH_RETURN_PATH,
  ...inShell({ title: 'connected', texts: ['connected'] }),
  component: lazyRouteComponent(
    () => import('./screens/integrations/ConnectedScreen.tsx'),
    'ConnectedScreen',
  ),
});

const integrationsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/integrations',
  ...inShell({ title: 'integrations', texts: ['integrations', 'actions'] }),
  component: lazyRouteComponent(
    () => import('./screens/integrations/IntegrationsScreen.tsx'),
    'IntegrationsScreen',
  ),
});

const IntegrationScreen = lazyRouteComponent(
  () => import('./screens/integrations/IntegrationScreen.tsx'),
  'IntegrationScreen',
);

const integrationRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/integrations/$id',
  ...inShell({ title: 'integrations', screen: IntegrationScreen, texts: ['integrations', 'actions'] }),
  component: function Integration() {
    const { id } = integrationRoute.useParams();
    return <IntegrationScreen id={id} key={id} />;
  },
});

const preferencePagesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/preference-pages',
  ...inShell({ title: 'preference_pages', texts: ['pages', 'editing'] }),
  component: lazyRouteComponent(
    () => import('./screens/preference-pages/PreferencePagesScreen.tsx'),
    'PreferencePagesScreen',
  ),
});

const PreferencePageEditorScreen = lazyRouteComponent(
  () => import('./screens/preference-pages/PreferencePageEditorScreen.tsx'),
  'PreferencePageEditorScreen',
);

const editPreferencePageRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/edit-preference-page/$site/$id',
  ...inShell({ screen: PreferencePageEditorScreen, texts: ['editor', 'pages', 'lists', 'editing'] }),
  component: function EditPreferencePage() {
    const { site, id } = editPreferencePageRoute.useParams();
    return <PreferencePageEditorScreen siteId={site} id={id} key={id} />;
  },
});

const createPreferencePageRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/create-preference-page/$site',
  ...inShell({ screen: PreferencePageEditorScreen, texts: ['editor', 'pages', 'lists', 'editing'] }),
  component: function CreatePreferencePage() {
    const { site } = createPreferencePageRoute.useParams();
    return <PreferencePageEditorScreen siteId={site} key="new" />;
  },
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    homeRoute,
    loginRoute,
    secondStepRoute,
    setUpRoute,
    signupRoute,
    resetPasswordRoute,
    signInReturnRoute,
    confirmLinkRoute,
    acceptInvitationRoute,
    surveyRoute,
    notFoundRoute,
    unknownRoute,
    shellRoute.addChildren([
      dashboardRoute,
      accountSettingsRoute,
      siteSettingsRoute,
      listsRoute,
      createListRoute,
      actionsRoute,
      deliveriesRoute,
      customersRoute,
      customerRoute,
      evidenceRoute,
      importsRoute,
      newImportRoute,
      importRoute,
      connectedRoute,
      integrationsRoute,
      integrationRoute,
      preferencePagesRoute,
      editPreferencePageRoute,
      createPreferencePageRoute,
    ]),
  ]),
  defaultPreload: 'intent',
  defaultPendingComponent: AppLoader,
  defaultPendingMs: 150,
  // What is there is shown.
  defaultPendingMinMs: 0,
  defaultErrorComponent: UnexpectedError,
  scrollRestoration: true,
});
