import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { inShell } from '../../routing/guarded-route.ts';
import { oneOf, textParams } from '../../routing/search-params.logic.ts';
import { GROUPINGS, type Grouping } from './groupings.ts';

const loadActionsScreen = () => import('./ActionsScreen.tsx');

interface ActionsSearch {
  /** The id of the action that is changed; `new` for a new one. */
  edit?: string;
  /** The id of the action that is duplicated. */
  copy?: string;
  /** The integration that a new action is for. */
  tool?: string;
  /** The list that a new action is for. */
  list?: string;
  by?: Grouping | undefined;
  /** What a choice would send, in place of the actions: of the customer with this id, or of `anybody`. */
  what_if?: string;
}

const actions = createRoute({
  path: '/actions',
  validateSearch: (search: Record<string, unknown>): ActionsSearch => ({
    ...textParams(search, ['edit', 'copy', 'tool', 'list', 'what_if']),
    by: oneOf(search['by'], GROUPINGS),
  }),
  ...inShell({
    prefetchFrom: loadActionsScreen,
    title: 'actions',
    texts: ['actions', 'figures', 'deliveries', 'editing'],
  }),
  component: lazyRouteComponent(loadActionsScreen, 'ActionsScreen'),
});

export const actionRoutes = [actions] as const;
