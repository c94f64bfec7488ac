import type { ToolLinks } from '#contract/tool-links.ts';

export interface PageLink {
  what: 'open' | 'leave_all' | 'leave' | 'join';
  /** Of the list that it is about. */
  name?: string;
  url: string;
}

interface LinkedPage {
  id: string;
  url: string;
  lists: readonly { id: string; name: string }[];
}

function stateLinks(base: string, { lists }: LinkedPage): PageLink[] {
  const linked = (query: string) => `${base}${base.includes('?') ? '&' : '?'}${query}`;
  return lists.flatMap(({ id, name }): PageLink[] => [
    { what: 'leave', name, url: linked(`state=unsubscribe&listId=${id}`) },
    { what: 'join', name, url: linked(`state=subscribe&listId=${id}`) },
  ]);
}

/** Links for anyone; the page asks who they are. */
export function linksForEverybody(page: LinkedPage): PageLink[] {
  return [
    { what: 'open', url: page.url },
    { what: 'leave_all', url: `${page.url}?state=unsubscribe` },
    ...stateLinks(page.url, page),
  ];
}

/** Links for a tool's emails, with its merge tags; null while none leads to the page. */
export function linksForTool(page: LinkedPage, links: ToolLinks): PageLink[] | null {
  const own = links.pages.find(({ page_id }) => page_id === page.id);
  const base = own?.by_challenge ?? own?.by_address ?? null;
  if (base === null) return null;
  return [
    { what: 'open', url: base },
    { what: 'leave_all', url: links.leave ?? `${base}&state=unsubscribe` },
    ...stateLinks(base, page),
  ];
}

/** The call that makes a customer's personal links. */
export function mintingSample(call: {
  appUrl: string;
  organizationId: string;
  siteId: string;
  customPath: string;
}): string {
  const { appUrl, organizationId, siteId, customPath } = call;
  const path = `/api/core/v1/organizations/${organizationId}/sites/${siteId}/customers/$CUSTOMER_ID/links`;
  return [
    `curl -X POST "${appUrl}${path}" \\`,
    `  -H "Authorization: Bearer $TOKEN" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '${JSON.stringify({ custom_path: customPath })}'`,
  ].join('\n');
}
