import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { inShell } from '../../routing/guarded-route.ts';
import { oneOf } from '../../routing/search-params.logic.ts';
import { EDITOR_TABS, type EditorTab } from './editor-tabs.ts';

const loadPagesScreen = () => import('./PreferencePagesScreen.tsx');

const loadEditorScreen = () => import('./PreferencePageEditorScreen.tsx');

const EditorScreen = lazyRouteComponent(loadEditorScreen, 'PreferencePageEditorScreen');

/** Without one, the first. */
function tabParam(search: Record<string, unknown>): { tab?: EditorTab } {
  const tab = oneOf(search['tab'], EDITOR_TABS);
  return tab === undefined ? {} : { tab };
}

const preferencePages = createRoute({
  path: '/preference-pages',
  ...inShell({ prefetchFrom: loadPagesScreen, title: 'preference_pages', texts: ['pages', 'editing'] }),
  component: lazyRouteComponent(loadPagesScreen, 'PreferencePagesScreen'),
});

const editPreferencePage = createRoute({
  path: '/edit-preference-page/$site/$id',
  validateSearch: tabParam,
  ...inShell({
    prefetchFrom: loadEditorScreen,
    screen: EditorScreen,
    texts: ['editor', 'pages', 'lists', 'editing'],
  }),
  component: function EditPreferencePage() {
    const { site, id } = editPreferencePage.useParams();
    return <EditorScreen siteId={site} id={id} key={id} />;
  },
});

const createPreferencePage = createRoute({
  path: '/create-preference-page/$site',
  validateSearch: tabParam,
  ...inShell({
    screen: EditorScreen,
    texts: ['editor', 'pages', 'lists', 'editing'],
  }),
  component: function CreatePreferencePage() {
    const { site } = createPreferencePage.useParams();
    return <EditorScreen siteId={site} key="new" />;
  },
});

export const preferencePageRoutes = [preferencePages, editPreferencePage, createPreferencePage] as const;
