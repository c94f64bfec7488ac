import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { guarded } from '../../routing/guarded-route.ts';
import { rootRoute } from '../../routing/layout-routes.ts';

export const NotFoundScreen = lazyRouteComponent(() => import('./NotFoundScreen.tsx'), 'NotFoundScreen');

const notFound = createRoute({
  path: '/404',
  ...guarded({ isAppOnly: false }),
  component: NotFoundScreen,
});

const unknown = createRoute({
  getParentRoute: () => rootRoute,
  path: '$',
  beforeLoad: () => {
    throw redirect({ to: '/404', replace: true });
  },
});

export const notFoundRoutes = [notFound, unknown] as const;
