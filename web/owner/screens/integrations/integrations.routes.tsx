import { OAUTH_RETURN_PATH } from '#contract/app-paths.ts';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { inShell } from '../../routing/guarded-route.ts';

const loadIntegrationScreen = () => import('./IntegrationScreen.tsx');
const loadIntegrationsScreen = () => import('./IntegrationsScreen.tsx');

const IntegrationScreen = lazyRouteComponent(loadIntegrationScreen, 'IntegrationScreen');

const connected = createRoute({
  path: OAUTH_RETURN_PATH,
  ...inShell({ title: 'connected', texts: ['connected'] }),
  component: lazyRouteComponent(() => import('./ConnectedScreen.tsx'), 'ConnectedScreen'),
});

const integrations = createRoute({
  path: '/integrations',
  ...inShell({
    prefetchFrom: loadIntegrationsScreen,
    title: 'integrations',
    texts: ['integrations', 'actions'],
  }),
  component: lazyRouteComponent(loadIntegrationsScreen, 'IntegrationsScreen'),
});

const integration = createRoute({
  path: '/integrations/$id',
  ...inShell({
    prefetchFrom: loadIntegrationScreen,
    title: 'integrations',
    screen: IntegrationScreen,
    texts: ['integrations', 'actions'],
  }),
  component: function Integration() {
    const { id } = integration.useParams();
    return <IntegrationScreen id={id} key={id} />;
  },
});

export const integrationRoutes = [connected, integrations, integration] as const;
