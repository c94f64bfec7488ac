import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { inShell } from '../../routing/guarded-route.ts';
import { parseCustomerSearch } from './customer-filter.logic.ts';

const loadCustomerScreen = () => import('./CustomerScreen.tsx');
const loadCustomersScreen = () => import('./CustomersScreen.tsx');

const CustomerScreen = lazyRouteComponent(loadCustomerScreen, 'CustomerScreen');

const customers = createRoute({
  path: '/customers',
  validateSearch: parseCustomerSearch,
  ...inShell({
    prefetchFrom: loadCustomersScreen,
    title: 'customers',
    texts: ['customers', 'customer-filters', 'test-mode'],
  }),
  component: lazyRouteComponent(loadCustomersScreen, 'CustomersScreen'),
});

const customer = createRoute({
  path: '/customers/$id',
  ...inShell({
    prefetchFrom: loadCustomerScreen,
    title: 'customers',
    screen: CustomerScreen,
    texts: ['customers', 'deliveries', 'test-mode', 'complaints'],
  }),
  component: function Customer() {
    const { id } = customer.useParams();
    return <CustomerScreen id={id} key={id} />;
  },
});

export const customerRoutes = [customers, customer] as const;
