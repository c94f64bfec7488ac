import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { AUDIT_NOUNS, type AuditNoun } from '#contract/audit-log.ts';
import { inShell } from '../../routing/guarded-route.ts';
import { oneOf, textParams } from '../../routing/search-params.logic.ts';
import { SECTION_IDS, type SectionId } from './sections.ts';

interface SettingsSearch {
  section?: SectionId;
  noun?: AuditNoun;
  actor?: string;
}

const accountSettings = createRoute({
  path: '/account-settings',
  validateSearch: (search): SettingsSearch => {
    const section = oneOf(search['section'], SECTION_IDS);
    const noun = oneOf(search['noun'], AUDIT_NOUNS);
    return { ...textParams(search, ['actor']), ...(section && { section }), ...(noun && { noun }) };
  },
  ...inShell({
    title: 'account_settings',
    texts: ['account', 'settings', 'second-factor', 'auth', 'survey', 'actions', 'pages', 'team', 'api-keys'],
  }),
  component: lazyRouteComponent(() => import('./AccountSettingsScreen.tsx'), 'AccountSettingsScreen'),
});

export const accountRoutes = [accountSettings] as const;
