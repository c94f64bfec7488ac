import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { testAction as testActionRoute } from '#contract/action-tests.ts';
import {
  type Action,
  createAction,
  deleteAction as deleteActionRoute,
  previewAction,
  updateAction,
} from '#contract/actions.ts';
import { type ActionFigures, getActionFigures } from '#contract/dashboard.ts';
import type { RouteCall } from '#contract/route.ts';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import type { PrefetchTarget } from '../../prefetch/prefetch.ts';
import { actionsQuery } from '../../queries/action-queries.ts';
import { anyIntegrationKey, connectorsQuery, integrationsQuery } from '../../queries/integration-queries.ts';
import { useSite } from '../../site/current-site.tsx';
import { type SiteParams, siteParams } from '../../site/site-params.ts';
import { customerSearchQuery } from '../../queries/customer-search.ts';
import { listsQuery } from '../../queries/list-queries.ts';
import { type ActionForm, changedFields, kindBodyOf, targetBodyOf, triggerOf } from './actions.logic.ts';

type ActionChanges = RouteCall<typeof updateAction>['body'];

interface Retargeted {
  action: Action;
  target: NonNullable<ActionForm['target']>;
  name: string;
}

function actionFiguresQuery(site: SiteParams) {
  return queryOptions({
    queryKey: ['site', site.site_id, 'action-figures'],
    queryFn: async ({ signal }) =>
      (await call(getActionFigures, { params: siteParams(site) }, { signal })).results,
    staleTime: 0,
  });
}

const byAction = (results: readonly ActionFigures[]) =>
  new Map(results.map((figures) => [figures.action_id, figures]));

/** Delivery figures of all actions, in one call. */
export function useActionFigures() {
  return useQuery({ ...actionFiguresQuery(useSite()), select: byAction });
}

export function prefetchActions({ site, search: { edit, copy } }: PrefetchTarget): void {
  void queryClient.prefetchQuery(actionsQuery(site));
  void queryClient.prefetchQuery(listsQuery(site));
  // When a form opens, the rows behind it already have their figures.
  if (edit === undefined && copy === undefined) void queryClient.prefetchQuery(actionFiguresQuery(site));
  void queryClient.prefetchQuery(integrationsQuery(site));
  void queryClient.prefetchQuery(connectorsQuery);
}

/**
 * Creates an action (`known` missing), or sends what was changed of one, unless somebody else has changed it since. The
 * response for a new webhook or evidence holds its signing secret.
 */
export function useSaveAction(known?: { action: Action; start: ActionForm }) {
  const site = useSite();
  return useMutation({
    mutationFn: (form: ActionForm): Promise<Action> => {
      if (known !== undefined) {
        const { id, updated_at } = known.action;
        const body = { ...changedFields(known.start, form), updated_at };
        return call(updateAction, { params: { ...siteParams(site), id }, body });
      }
      const { name, enabled } = form;
      const fields = { name, enabled, trigger: triggerOf(form), target: targetBodyOf(form) };
      return call(createAction, { params: siteParams(site), body: { ...kindBodyOf(form), ...fields } });
    },
    onSuccess: () => {
      refreshProposals(site);
      return queryClient.invalidateQueries({ queryKey: actionsQuery(site).queryKey });
    },
  });
}

/** Sends a new target and name, unless somebody else has changed the action since. */
export function useRetargetAction() {
  const site = useSite();
  return useMutation({
    mutationFn: ({ action, target, name }: Retargeted) => {
      const body = { target, name, updated_at: action.updated_at };
      return call(updateAction, { params: { ...siteParams(site), id: action.id }, body });
    },
    onSettled: () => {
      refreshProposals(site);
      return queryClient.invalidateQueries({ queryKey: actionsQuery(site).queryKey });
    },
  });
}

/** What is proposed for a tool follows the actions. Not awaited: the tool may be read for it. */
function refreshProposals({ site_id }: SiteParams): void {
  void queryClient.invalidateQueries({ queryKey: anyIntegrationKey(site_id) });
}

export function useChangeAction(id: string) {
  const site = useSite();
  return useMutation({
    mutationFn: (changes: ActionChanges) =>
      call(updateAction, { params: { ...siteParams(site), id }, body: changes }),
    onSuccess: (answer) => {
      const changed = { ...answer };
      // Shown once, stored nowhere.
      delete changed.signing_secret;
      queryClient.setQueryData(actionsQuery(site).queryKey, (actions) =>
        actions?.map((action) => (action.id === id ? changed : action)),
      );
    },
  });
}

export async function deleteAction(site: SiteParams, id: string): Promise<void> {
  await call(deleteActionRoute, { params: { ...siteParams(site), id } });
  const { queryKey } = actionsQuery(site);
  queryClient.setQueryData(queryKey, (actions) => actions?.filter((action) => action.id !== id));
  refreshProposals(site);
  await queryClient.invalidateQueries({ queryKey });
}

/** The exact calls for a customer, of a new choice or of a test; sends nothing. */
export function useActionPreview(id: string, customerId: string | null, what: 'choice' | 'test') {
  const site = useSite();
  return useQuery({
    queryKey: ['site', site.site_id, 'action-preview', id, customerId, what],
    enabled: customerId !== null,
    staleTime: 0,
    gcTime: 0,
    queryFn: ({ signal }) => {
      const body = { customer_id: customerId ?? '', ...(what === 'test' ? { test: true as const } : {}) };
      return call(previewAction, { params: { ...siteParams(site), id }, body }, { signal });
    },
  });
}

/** Sends a test; for an action in a tool, with the customer whom it is about. */
export function useActionTest(id: string) {
  const site = useSite();
  return useMutation({
    mutationFn: (customerId: string | null) => {
      const query = customerId === null ? {} : { customer_id: customerId };
      return call(testActionRoute, { params: { ...siteParams(site), id }, query });
    },
  });
}

const FOUND_AT_MOST = 10;

export function useCustomerSearch(search: string) {
  return useQuery({
    ...customerSearchQuery(useSite(), search, FOUND_AT_MOST),
    select: ({ results }) => results,
  });
}
