import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { inShell } from '../../routing/guarded-route.ts';
import { oneOf, textParams } from '../../routing/search-params.logic.ts';
import { SECTION_IDS, type SectionId } from './sections.ts';

interface SettingsSearch {
  section?: SectionId;
  /** Read only by the audit log, which loads with the screen. */
  noun?: string;
  actor?: string;
}

const accountSettings = createRoute({
  path: '/account-settings',
  validateSearch: (search): SettingsSearch => {
    const section = oneOf(search['section'], SECTION_IDS);
    return { ...textParams(search, ['actor', 'noun']), ...(section && { section }) };
  },
  ...inShell({
    title: 'account_settings',
    texts: ['account', 'settings', 'second-factor', 'auth', 'survey', 'actions', 'pages', 'team', 'api-keys'],
  }),
  component: lazyRouteComponent(() => import('./AccountSettingsScreen.tsx'), 'AccountSettingsScreen'),
});

export const accountRoutes = [accountSettings] as const;
