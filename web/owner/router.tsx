import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type ParsedLocation,
  redirect,
} from '@tanstack/react-router';
import { z } from 'zod';
import { DELIVERY_STATUSES } from '#contract/deliveries.ts';
import { guard, safeNext } from './guard.logic.ts';
import { queryClient } from './query.ts';
import { readAuth } from './session.ts';
import { settingsQuery } from './settings.ts';
import { AppLoader } from './shell/AppLoader.tsx';
import { Root } from './shell/Root.tsx';
import type { TitleKey } from './shell/titles.ts';
import { UnexpectedError } from './shell/UnexpectedError.tsx';

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
  interface StaticDataRouteOption {
    /** Without one the title is the product's name. */
    title?: TitleKey;
    isAuthRequired?: boolean;
  }
}

async function enter(location: ParsedLocation, flags: { isAuthRequired?: boolean; isAppOnly?: boolean }) {
  const settings = await queryClient.ensureQueryData(settingsQuery).catch(() => null);
  const verdict = guard(
    {
      path: location.pathname,
      href: location.href,
      isAuthRequired: flags.isAuthRequired ?? false,
      isAppOnly: flags.isAppOnly ?? true,
    },
    readAuth(),
    window.location,
    settings?.app_url ?? null,
  );
  if (verdict.kind === 'leave') {
    window.location.assign(verdict.url);
    return new Promise<void>(() => {});
  }
  if (verdict.kind === 'go') {
    throw redirect({ to: verdict.to, search: verdict.next ? { next: verdict.next } : {}, replace: true });
  }
  return undefined;
}

const open = {
  beforeLoad: ({ location }: { location: ParsedLocation }) => enter(location, {}),
};

const inside = {
  beforeLoad: ({ location }: { location: ParsedLocation }) => enter(location, { isAuthRequired: true }),
};

const rootRoute = createRootRoute({
  component: Root,
  notFoundComponent: lazyRouteComponent(() => import('./screens/not-found/NotFoundScreen.tsx'), 'NotFoundScreen'),
});

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/login', replace: true });
  },
});

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  validateSearch: (search): { next?: string } => {
    const next = safeNext(search['next']);
    return next === undefined ? {} : { next };
  },
  ...open,
  component: lazyRouteComponent(() => import('./screens/auth/LoginScreen.tsx'), 'LoginScreen'),
});

const signupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/signup',
  ...open,
  component: lazyRouteComponent(() => import('./screens/auth/SignupScreen.tsx'), 'SignupScreen'),
});

const resetPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reset-password',
  validateSearch: (search): { token?: string } =>
    typeof search['token'] === 'string' ? { token: search['token'] } : {},
  ...open,
  component: lazyRouteComponent(() => import('./screens/auth/ResetPasswordScreen.tsx'), 'ResetPasswordScreen'),
});

const surveyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/signup-survey',
  staticData: { title: 'survey', isAuthRequired: true },
  ...inside,
  component: lazyRouteComponent(() => import('./screens/survey/SurveyScreen.tsx'), 'SurveyScreen'),
});

const notFoundRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/404',
  beforeLoad: ({ location }) => enter(location, { isAppOnly: false }),
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
  staticData: { title: 'dashboard', isAuthRequired: true },
  ...inside,
  component: lazyRouteComponent(() => import('./screens/dashboard/DashboardScreen.tsx'), 'DashboardScreen'),
});

const accountSettingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/account-settings',
  staticData: { title: 'account_settings', isAuthRequired: true },
  ...inside,
  component: lazyRouteComponent(() => import('./screens/account/AccountSettingsScreen.tsx'), 'AccountSettingsScreen'),
});

const listsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/lists',
  staticData: { title: 'lists', isAuthRequired: true },
  ...inside,
  component: lazyRouteComponent(() => import('./screens/lists/ListsScreen.tsx'), 'ListsScreen'),
});

const ListEditorScreen = lazyRouteComponent(
  () => import('./screens/lists/ListEditorScreen.tsx'),
  'ListEditorScreen',
);

const createListRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/create-list/$id',
  staticData: { isAuthRequired: true },
  ...inside,
  component: function CreateList() {
    const { id } = createListRoute.useParams();
    return <ListEditorScreen id={id} key={id} />;
  },
});

const actionsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/actions',
  staticData: { title: 'actions', isAuthRequired: true },
  ...inside,
  component: lazyRouteComponent(() => import('./screens/actions/ActionsScreen.tsx'), 'ActionsScreen'),
});

const deliverySearch = z.object({
  status: z.enum(DELIVERY_STATUSES).optional().catch(undefined),
  action_id: z.string().optional().catch(undefined),
  customer_id: z.string().optional().catch(undefined),
  delivery: z.string().optional().catch(undefined),
});

const deliveriesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/deliveries',
  staticData: { title: 'deliveries', isAuthRequired: true },
  validateSearch: deliverySearch,
  ...inside,
  component: lazyRouteComponent(() => import('./screens/deliveries/DeliveriesScreen.tsx'), 'DeliveriesScreen'),
});

const preferencePagesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/preference-pages',
  staticData: { title: 'preference_pages', isAuthRequired: true },
  ...inside,
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
  staticData: { isAuthRequired: true },
  ...inside,
  component: function EditPreferencePage() {
    const { site, id } = editPreferencePageRoute.useParams();
    return <PreferencePageEditorScreen siteId={site} id={id} key={id} />;
  },
});

const createPreferencePageRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/create-preference-page/$site',
  staticData: { isAuthRequired: true },
  ...inside,
  component: function CreatePreferencePage() {
    const { site } = createPreferencePageRoute.useParams();
    return <PreferencePageEditorScreen siteId={site} key="new" />;
  },
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    homeRoute,
    loginRoute,
    signupRoute,
    resetPasswordRoute,
    surveyRoute,
    notFoundRoute,
    unknownRoute,
    shellRoute.addChildren([
      dashboardRoute,
      accountSettingsRoute,
      listsRoute,
      createListRoute,
      actionsRoute,
      deliveriesRoute,
      preferencePagesRoute,
      editPreferencePageRoute,
      createPreferencePageRoute,
    ]),
  ]),
  defaultPreload: 'intent',
  defaultPendingComponent: AppLoader,
  defaultPendingMs: 150,
  defaultErrorComponent: UnexpectedError,
  scrollRestoration: true,
});
