import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { DASHBOARD_RANGES, type DashboardRange } from '#contract/dashboard.ts';
import { inShell } from '../../routing/guarded-route.ts';
import { oneOf } from '../../routing/search-params.logic.ts';

const loadDashboardScreen = () => import('./DashboardScreen.tsx');

const dashboard = createRoute({
  path: '/dashboard',
  validateSearch: (search: Record<string, unknown>): { range?: DashboardRange | undefined } => ({
    range: oneOf(search['range'], DASHBOARD_RANGES),
  }),
  ...inShell({ prefetchFrom: loadDashboardScreen, title: 'dashboard', texts: ['dashboard', 'figures'] }),
  component: lazyRouteComponent(loadDashboardScreen, 'DashboardScreen'),
});

export const dashboardRoutes = [dashboard] as const;
