import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { DELIVERY_STATUSES, type DeliveryStatus } from '#contract/deliveries.ts';
import { TEST_FILTERS, type TestFilterValue } from '#contract/fields.ts';
import { inShell } from '../../routing/guarded-route.ts';
import { oneOf, parseTimestamp, textParams } from '../../routing/search-params.logic.ts';

const loadDeliveriesScreen = () => import('./DeliveriesScreen.tsx');

interface DeliverySearch {
  status?: DeliveryStatus | undefined;
  action_id?: string | undefined;
  customer_id?: string | undefined;
  integration_id?: string | undefined;
  late?: 'true' | undefined;
  unconfirmed?: 'true' | undefined;
  since?: string | undefined;
  test?: TestFilterValue;
  delivery?: string | undefined;
}

const deliveries = createRoute({
  path: '/deliveries',
  validateSearch: (search: Record<string, unknown>): DeliverySearch => ({
    ...textParams(search, ['action_id', 'customer_id', 'integration_id', 'delivery']),
    status: oneOf(search['status'], DELIVERY_STATUSES),
    late: oneOf(search['late'], ['true'] as const),
    unconfirmed: oneOf(search['unconfirmed'], ['true'] as const),
    since: parseTimestamp(search['since']),
    test: oneOf(search['test'], TEST_FILTERS),
  }),
  ...inShell({
    prefetchFrom: loadDeliveriesScreen,
    title: 'deliveries',
    texts: ['deliveries', 'customers', 'figures', 'test-mode'],
  }),
  component: lazyRouteComponent(loadDeliveriesScreen, 'DeliveriesScreen'),
});

export const deliveryRoutes = [deliveries] as const;
