import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { inShell } from '../../routing/guarded-route.ts';

const siteSettings = createRoute({
  path: '/site-settings',
  ...inShell({ title: 'site_settings', texts: ['site', 'test-mode'] }),
  component: lazyRouteComponent(() => import('./SiteSettingsScreen.tsx'), 'SiteSettingsScreen'),
});

export const siteSettingsRoutes = [siteSettings] as const;
