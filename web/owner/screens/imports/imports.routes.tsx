import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { inShell } from '../../routing/guarded-route.ts';
import { textParams } from '../../routing/search-params.logic.ts';

const loadImportScreen = () => import('./ImportScreen.tsx');
const loadImportsScreen = () => import('./ImportsScreen.tsx');

const ImportScreen = lazyRouteComponent(loadImportScreen, 'ImportScreen');

const NewImportScreen = lazyRouteComponent(() => import('./NewImportScreen.tsx'), 'NewImportScreen');

const imports = createRoute({
  path: '/imports',
  ...inShell({ prefetchFrom: loadImportsScreen, title: 'imports', texts: ['imports'] }),
  component: lazyRouteComponent(loadImportsScreen, 'ImportsScreen'),
});

const newImport = createRoute({
  path: '/imports/new',
  ...inShell({ title: 'imports', screen: NewImportScreen, texts: ['imports', 'editing'] }),
  validateSearch: (search: Record<string, unknown>) => textParams(search, ['integration_id']),
  component: function NewImport() {
    const { integration_id = null } = newImport.useSearch();
    return <NewImportScreen integrationId={integration_id} key={integration_id} />;
  },
});

const oneImport = createRoute({
  path: '/imports/$id',
  ...inShell({ prefetchFrom: loadImportScreen, title: 'imports', screen: ImportScreen, texts: ['imports'] }),
  component: function Import() {
    const { id } = oneImport.useParams();
    return <ImportScreen id={id} key={id} />;
  },
});

export const importRoutes = [imports, newImport, oneImport] as const;
