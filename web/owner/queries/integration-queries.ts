import { queryOptions, useQuery } from '@tanstack/react-query';
import {
  listConnectors,
  listIntegrations,
  listToolResources,
  type TOOL_RESOURCE_KINDS,
} from '#contract/integrations.ts';
import { listToolLinks } from '#contract/tool-links.ts';
import { call } from '../api/call.ts';
import { useSite } from '../site/current-site.tsx';
import { type SiteParams, siteParams } from '../site/site-params.ts';

export const connectorsQuery = queryOptions({
  queryKey: ['connectors'],
  queryFn: async ({ signal }) => (await call(listConnectors, {}, { signal })).results,
  staleTime: Infinity,
});

/** The supported email tools, which change only with a release. */
export function useConnectors() {
  return useQuery(connectorsQuery);
}

export function integrationsQuery(site: SiteParams) {
  return queryOptions({
    queryKey: ['site', site.site_id, 'integrations'],
    queryFn: async ({ signal }) => {
      const { results } = await call(listIntegrations, { params: siteParams(site) }, { signal });
      return results;
    },
  });
}

/** The connected tools of the site. */
export function useIntegrations() {
  return useQuery(integrationsQuery(useSite()));
}

/** The prefix of every query about an integration of the site. */
export function anyIntegrationKey(siteId: string) {
  return ['site', siteId, 'integration'];
}

/** The prefix of every query about one integration. */
export function integrationKey(siteId: string, id: string) {
  return [...anyIntegrationKey(siteId), id];
}

/** The links for the tool's mails: to each page, personal ones once a field stores them. */
export function toolLinksQuery(site: SiteParams, id: string) {
  return queryOptions({
    queryKey: [...integrationKey(site.site_id, id), 'links'],
    queryFn: ({ signal }) => call(listToolLinks, { params: { ...siteParams(site), id } }, { signal }),
  });
}

export type ToolResourceKind = (typeof TOOL_RESOURCE_KINDS)[number];

/** The connected account's resources of one kind, as the tool lists them now. */
export function useToolResources(id: string, kind: ToolResourceKind) {
  const site = useSite();
  return useQuery({
    queryKey: [...integrationKey(site.site_id, id), kind],
    queryFn: async ({ signal }) => {
      const request = { params: { ...siteParams(site), id }, query: { kind } };
      return (await call(listToolResources, request, { signal })).results;
    },
    staleTime: 0,
  });
}
