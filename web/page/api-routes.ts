import type {
  complain,
  endOwnLinks,
  getChoiceProgress,
  getCustomerPage,
  giveReason,
  mailFreshLink,
  openCustomer,
  requestData,
  resendConfirmation,
  saveLists,
  undoChoice,
  updatePublicCustomer,
} from '#contract/public-preferences.ts';
import type { Route } from '#contract/route.ts';

// Method and path are all that a call needs at run time; the schemas would bring zod to every visitor.
// TypeScript holds each of them to the contract's own literal.
function routeOf<R extends Route>(route: Pick<R, 'method' | 'path'>): R {
  return route as R;
}

export const ROUTES = {
  open: routeOf<typeof openCustomer>({ method: 'POST', path: '/customer/v1/customers' }),
  page: routeOf<typeof getCustomerPage>({
    method: 'GET',
    path: '/customer/v2/customers/{customerId}/preferences/{custom_path}',
  }),
  lists: routeOf<typeof saveLists>({ method: 'PUT', path: '/customer/v1/customers/{customerId}/lists' }),
  customer: routeOf<typeof updatePublicCustomer>({
    method: 'PATCH',
    path: '/customer/v1/customers/{customerId}',
  }),
  undo: routeOf<typeof undoChoice>({ method: 'POST', path: '/customer/v1/customers/{customerId}/undo' }),
  reason: routeOf<typeof giveReason>({
    method: 'POST',
    path: '/customer/v1/customers/{customerId}/reason',
  }),
  freshLink: routeOf<typeof mailFreshLink>({
    method: 'POST',
    path: '/customer/v1/customers/{customerId}/fresh-link',
  }),
  endLinks: routeOf<typeof endOwnLinks>({
    method: 'POST',
    path: '/customer/v1/customers/{customerId}/links/end',
  }),
  resend: routeOf<typeof resendConfirmation>({
    method: 'POST',
    path: '/customer/v1/customers/{customerId}/pending-changes/resend',
  }),
  progress: routeOf<typeof getChoiceProgress>({
    method: 'GET',
    path: '/customer/v1/customers/{customerId}/progress',
  }),
  data: routeOf<typeof requestData>({
    method: 'POST',
    path: '/customer/v1/customers/{customerId}/data-requests',
  }),
  complain: routeOf<typeof complain>({
    method: 'POST',
    path: '/customer/v1/customers/{customerId}/complaints',
  }),
};
