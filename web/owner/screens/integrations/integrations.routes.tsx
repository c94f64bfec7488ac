import { OAUTH_RETURN_PATH } from '#contract/app-paths.ts';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { inShell } from '../../routing/guarded-route.ts';
import { oneOf } from '../../routing/search-params.logic.ts';
import { TAB_IDS, type TabId } from './tabs.ts';

const loadIntegrationScreen = () => import('./IntegrationScreen.tsx');
const loadIntegrationsScreen = () => import('./IntegrationsScreen.tsx');

const IntegrationScreen = lazyRouteComponent(loadIntegrationScreen, 'IntegrationScreen');
const SetUpScreen = lazyRouteComponent(() => import('./SetUpScreen.tsx'), 'SetUpScreen');

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
  validateSearch: (search: Record<string, unknown>): { tab?: TabId; connect?: true } => {
    const tab = oneOf(search['tab'], TAB_IDS);
    return {
      ...(tab === undefined ? {} : { tab }),
      ...(search['connect'] === true ? { connect: true } : {}),
    };
  },
  ...inShell({
    prefetchFrom: loadIntegrationScreen,
    title: 'integrations',
    screen: IntegrationScreen,
    texts: ['integrations', 'actions'],
  }),
  component: function Integration() {
    const { id } = integration.useParams();
    const { tab } = integration.useSearch();
    return <IntegrationScreen id={id} tab={tab ?? 'overview'} key={id} />;
  },
});

const setUp = createRoute({
  path: '/integrations/$id/set-up',
  ...inShell({
    title: 'integrations',
    screen: SetUpScreen,
    texts: ['integrations', 'actions', 'editor'],
  }),
  component: function SetUp() {
    const { id } = setUp.useParams();
    return <SetUpScreen id={id} key={id} />;
  },
});

export const integrationRoutes = [connected, integrations, integration, setUp] as const;
