import { createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { AppLoader } from './components/AppLoader.tsx';
import { rootRoute, shellRoute } from './routing/layout-routes.ts';
import { onlyValidated, stringifySearch } from './routing/search-params.logic.ts';
import { notFoundRoutes, NotFoundScreen } from './screens/not-found/not-found.routes.ts';
import { authRoutes } from './screens/auth/auth.routes.tsx';
import { secondFactorRoutes } from './screens/second-factor/second-factor.routes.ts';
import { invitationRoutes } from './screens/invitation/invitation.routes.tsx';
import { surveyRoutes } from './screens/survey/survey.routes.ts';
import { dashboardRoutes } from './screens/dashboard/dashboard.routes.ts';
import { accountRoutes } from './screens/account/account.routes.ts';
import { siteSettingsRoutes } from './screens/site-settings/site-settings.routes.ts';
import { listRoutes } from './screens/lists/lists.routes.tsx';
import { actionRoutes } from './screens/actions/actions.routes.ts';
import { deliveryRoutes } from './screens/deliveries/deliveries.routes.ts';
import { complaintRoutes } from './screens/complaints/complaints.routes.tsx';
import { customerRoutes } from './screens/customers/customers.routes.tsx';
import { evidenceRoutes } from './screens/evidence/evidence.routes.ts';
import { importRoutes } from './screens/imports/imports.routes.tsx';
import { bulkChangeRoutes } from './screens/bulk-changes/bulk-changes.routes.ts';
import { emailCheckRoutes } from './screens/email-check/email-check.routes.ts';
import { integrationRoutes } from './screens/integrations/integrations.routes.tsx';
import { preferencePageRoutes } from './screens/preference-pages/preference-pages.routes.tsx';
import { Root } from './shell/Root.tsx';
import { UnexpectedError } from './shell/UnexpectedError.tsx';

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

rootRoute.update({ component: Root, notFoundComponent: NotFoundScreen });
shellRoute.update({ component: lazyRouteComponent(() => import('./shell/Shell.tsx'), 'Shell') });

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    ...authRoutes,
    ...secondFactorRoutes,
    ...invitationRoutes,
    ...surveyRoutes,
    ...notFoundRoutes,
    shellRoute.addChildren([
      ...dashboardRoutes,
      ...accountRoutes,
      ...siteSettingsRoutes,
      ...listRoutes,
      ...actionRoutes,
      ...deliveryRoutes,
      ...customerRoutes,
      ...complaintRoutes,
      ...evidenceRoutes,
      ...importRoutes,
      ...bulkChangeRoutes,
      ...emailCheckRoutes,
      ...integrationRoutes,
      ...preferencePageRoutes,
    ]),
  ]),
  stringifySearch,
  defaultPreload: 'intent',
  defaultPendingComponent: AppLoader,
  defaultPendingMs: 150,
  // A pending component goes as soon as the screen is there.
  defaultPendingMinMs: 0,
  defaultErrorComponent: UnexpectedError,
  scrollRestoration: true,
});

for (const { options } of Object.values(router.routesById)) {
  if (typeof options.validateSearch !== 'function') continue;
  options.validateSearch = onlyValidated(options.validateSearch);
}
