import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { inShell } from '../../routing/guarded-route.ts';

const load = () => import('./BulkChangesScreen.tsx');

const texts = { title: 'bulk_changes', texts: ['bulk-changes'] } as const;

export const bulkChangeRoutes = [
  createRoute({
    path: '/bulk-changes',
    ...inShell(texts),
    component: lazyRouteComponent(load, 'BulkChangesScreen'),
  }),
  createRoute({
    path: '/bulk-changes/$id',
    ...inShell(texts),
    component: lazyRouteComponent(load, 'BulkChangeScreen'),
  }),
] as const;
