import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import {
  createIntegration,
  deleteIntegration,
  getIntegration,
  setUpWebhook,
  type Integration,
  updateIntegration,
  verifyIntegration,
} from '#contract/integrations.ts';
import { startOAuth } from '#contract/oauth.ts';
import type { RouteCall } from '#contract/route.ts';
import { listSurveys } from '#contract/survey.ts';
import { call } from '../../api/call.ts';
import { useEvictOnLeave } from '../../api/evict-on-leave.ts';
import { queryClient } from '../../api/query-client.ts';
import type { PrefetchTarget } from '../../prefetch/prefetch.ts';
import { readAuth, useSession } from '../../session/session.ts';
import {
  connectorsQuery,
  integrationKey,
  integrationsQuery,
  toolLinksQuery,
} from '../../queries/integration-queries.ts';
import { inboundQuery } from './reconciliation.api.ts';
import { useSite } from '../../site/current-site.tsx';
import { type SiteParams, siteParams } from '../../site/site-params.ts';

/** Until its webhook is set up after connecting. */
const PREPARING_MS = 5000;

type IntegrationChanges = RouteCall<typeof updateIntegration>['body'];

function integrationQuery(site: SiteParams, id: string) {
  const all = integrationsQuery(site).queryKey;
  return queryOptions({
    queryKey: [...integrationKey(site.site_id, id), 'itself'],
    queryFn: ({ signal }) => call(getIntegration, { params: { ...siteParams(site), id } }, { signal }),
    // The list has the same data, so the screen renders immediately and then refreshes.
    initialData: () => queryClient.getQueryData(all)?.find((one) => one.id === id),
    initialDataUpdatedAt: 0,
  });
}

function namedToolsQuery(ownerId: string) {
  return queryOptions({
    queryKey: ['surveys', ownerId],
    queryFn: async ({ signal }) => {
      const { results } = await call(listSurveys, { params: { id: ownerId } }, { signal });
      return results[0]?.data.integrations ?? [];
    },
    staleTime: Infinity,
  });
}

/** The tools that the owner named at sign-up. */
export function useNamedTools() {
  return useQuery(namedToolsQuery(useSession()?.id ?? ''));
}

export function prefetchIntegrations({ site }: PrefetchTarget): void {
  void queryClient.prefetchQuery(integrationsQuery(site));
  void queryClient.prefetchQuery(connectorsQuery);
  const owner = readAuth();
  if (owner !== null) void queryClient.prefetchQuery(namedToolsQuery(owner.id));
}

export function prefetchIntegration({ site, id }: PrefetchTarget): void {
  void queryClient.prefetchQuery(integrationQuery(site, id));
  void queryClient.prefetchInfiniteQuery(inboundQuery(site, id));
  void queryClient.prefetchQuery(connectorsQuery);
}

export function useIntegration(id: string) {
  return useQuery({
    ...integrationQuery(useSite(), id),
    refetchInterval: ({ state }) => (state.data?.webhook_state === 'pending' ? PREPARING_MS : false),
  });
}

/** Sets up its webhook in the tool; the answer says whether that went well. */
export function useSetUpWebhook(id: string) {
  const site = useSite();
  return useMutation({
    mutationFn: () => call(setUpWebhook, { params: { ...siteParams(site), id } }),
    onSuccess: (seen) => cacheIntegration(site, seen),
  });
}

async function cacheIntegration(site: SiteParams, changed: Integration): Promise<void> {
  queryClient.setQueryData(integrationQuery(site, changed.id).queryKey, changed);
  await queryClient.invalidateQueries({ queryKey: integrationsQuery(site).queryKey });
}

export interface Credentials {
  name: string;
  credentials: Record<string, string>;
  /** They may be of another account of the tool. */
  mayBeOther: boolean;
}

/** Connects a tool (`id` null) or updates an integration's credentials; they are verified immediately. */
export function useConnect(provider: string, id: string | null) {
  const site = useSite();
  return useMutation({
    mutationFn: ({ name, credentials, mayBeOther }: Credentials) =>
      id === null
        ? call(createIntegration, {
            params: siteParams(site),
            body: { provider, credentials, ...(name === '' ? {} : { name }) },
          })
        : call(updateIntegration, {
            params: { ...siteParams(site), id },
            body: { credentials, ...(mayBeOther ? { other_account: true } : {}) },
          }),
    onSuccess: async (changed) => {
      await cacheIntegration(site, changed);
      // Their targets may be marked.
      await queryClient.invalidateQueries({ queryKey: ['site', site.site_id, 'actions'] });
    },
  });
}

/** Returns the tool's login URL. */
export function useLoginAtTool(provider: string, id: string | null) {
  const site = useSite();
  return useMutation({
    mutationFn: async ({ name, credentials, mayBeOther }: Credentials) => {
      const { authorize_url } = await call(startOAuth, {
        params: siteParams(site),
        body: {
          provider,
          credentials,
          ...(name === '' ? {} : { name }),
          ...(id === null ? {} : { integration_id: id, redirect: `/integrations/${id}` }),
          ...(mayBeOther ? { other_account: true } : {}),
        },
      });
      return authorize_url;
    },
  });
}

export function useChangeIntegration(id: string) {
  const site = useSite();
  return useMutation({
    mutationFn: (changes: IntegrationChanges) =>
      call(updateIntegration, { params: { ...siteParams(site), id }, body: changes }),
    onSuccess: async (changed) => {
      await cacheIntegration(site, changed);
      await queryClient.invalidateQueries({ queryKey: toolLinksQuery(site, id).queryKey });
    },
  });
}

/** Verifies the credentials with the tool. */
export function useVerify(id: string) {
  const site = useSite();
  return useMutation({
    mutationFn: () => call(verifyIntegration, { params: { ...siteParams(site), id } }),
    onSuccess: (seen) => cacheIntegration(site, seen),
  });
}

/** Stops its queries during and after the deletion; if that fails, they are refetched. */
export function useDisconnect(id: string) {
  const site = useSite();
  const queryKey = integrationKey(site.site_id, id);
  const evict = useEvictOnLeave();
  return useMutation({
    mutationFn: async () => {
      await queryClient.cancelQueries({ queryKey });
      await call(deleteIntegration, { params: { ...siteParams(site), id } });
    },
    onSuccess: () => {
      evict(queryKey);
      // Not awaited: its page is left immediately.
      void queryClient.invalidateQueries({ queryKey: integrationsQuery(site).queryKey });
    },
    onError: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey }),
        queryClient.invalidateQueries({ queryKey: ['site', site.site_id, 'actions'] }),
      ]),
  });
}

const KEEPING_MS = 15_000;

/** The links for the tool's mails; polls while some are not yet stored there. */
export function useToolLinks(id: string) {
  return useQuery({
    ...toolLinksQuery(useSite(), id),
    refetchInterval: ({ state }) => ((state.data?.links_kept?.waiting ?? 0) > 0 ? KEEPING_MS : false),
  });
}
