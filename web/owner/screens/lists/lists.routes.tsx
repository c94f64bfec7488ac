import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { inShell } from '../../routing/guarded-route.ts';

const loadListsScreen = () => import('./ListsScreen.tsx');

const ListEditorScreen = lazyRouteComponent(() => import('./ListEditorScreen.tsx'), 'ListEditorScreen');

const lists = createRoute({
  path: '/lists',
  ...inShell({ prefetchFrom: loadListsScreen, title: 'lists', texts: ['lists', 'figures', 'editing'] }),
  component: lazyRouteComponent(loadListsScreen, 'ListsScreen'),
});

const createList = createRoute({
  path: '/create-list/$id',
  ...inShell({ screen: ListEditorScreen, texts: ['lists', 'editing', 'editor'] }),
  component: function CreateList() {
    const { id } = createList.useParams();
    return <ListEditorScreen id={id} key={id} />;
  },
});

export const listRoutes = [lists, createList] as const;
