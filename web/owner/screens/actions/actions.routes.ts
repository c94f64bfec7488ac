import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { inShell } from '../../routing/guarded-route.ts';
import { textParams } from '../../routing/search-params.logic.ts';

const loadActionsScreen = () => import('./ActionsScreen.tsx');

const actions = createRoute({
  path: '/actions',
  validateSearch: (search): { edit?: string; tool?: string } => textParams(search, ['edit', 'tool']),
  ...inShell({
    prefetchFrom: loadActionsScreen,
    title: 'actions',
    texts: ['actions', 'figures', 'deliveries', 'editing'],
  }),
  component: lazyRouteComponent(loadActionsScreen, 'ActionsScreen'),
});

export const actionRoutes = [actions] as const;
