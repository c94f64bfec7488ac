import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { inShell } from '../../routing/guarded-route.ts';
import { textParams } from '../../routing/search-params.logic.ts';

const loadCustomerScreen = () => import('./CustomerScreen.tsx');
const loadCustomersScreen = () => import('./CustomersScreen.tsx');

const CustomerScreen = lazyRouteComponent(loadCustomerScreen, 'CustomerScreen');

const customers = createRoute({
  path: '/customers',
  validateSearch: (search: Record<string, unknown>): { search?: string | undefined } =>
    textParams(search, ['search']),
  ...inShell({ prefetchFrom: loadCustomersScreen, title: 'customers', texts: ['customers'] }),
  component: lazyRouteComponent(loadCustomersScreen, 'CustomersScreen'),
});

const customer = createRoute({
  path: '/customers/$id',
  ...inShell({
    prefetchFrom: loadCustomerScreen,
    title: 'customers',
    screen: CustomerScreen,
    texts: ['customers', 'deliveries'],
  }),
  component: function Customer() {
    const { id } = customer.useParams();
    return <CustomerScreen id={id} key={id} />;
  },
});

export const customerRoutes = [customers, customer] as const;
