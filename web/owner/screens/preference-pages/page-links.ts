import type { ToolLinks } from '#contract/tool-links.ts';

/** What a link does. */
export const LINK_KINDS = ['open', 'leave_all', 'leave', 'join'] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

/** `listId`: of `leave` and `join`. */
export interface LinkPurpose {
  what: LinkKind;
  listId: string;
}

interface LinkedPage {
  id: string;
  url: string;
  attrs: { enhanced_security: boolean };
}

/** The link for one audience; null where there is none that leads to the page. */
export type LinkMaker = (purpose: LinkPurpose) => string | null;

function withState(base: string, { what, listId }: LinkPurpose): string {
  const linked = (query: string) => `${base}${base.includes('?') ? '&' : '?'}${query}`;
  switch (what) {
    case 'open':
      return base;
    case 'leave_all':
      return linked('state=unsubscribe');
    case 'leave':
      return linked(`state=unsubscribe&listId=${listId}`);
    case 'join':
      return linked(`state=subscribe&listId=${listId}`);
  }
}

/** For anyone: the page asks who they are, or turns them away. */
export function linksForEverybody({ url, attrs }: LinkedPage): LinkMaker {
  return (purpose) => (attrs.enhanced_security && purpose.what !== 'open' ? null : withState(url, purpose));
}

/** For the emails of a tool that is not connected, which inserts the email by this tag. */
export function linksForTag({ url, attrs }: LinkedPage, emailTag: string): LinkMaker {
  return (purpose) => (attrs.enhanced_security ? null : withState(`${url}?email=${emailTag}`, purpose));
}

/** For the emails of a connected tool, with its merge tags. */
export function linksForTool(page: LinkedPage, links: ToolLinks): LinkMaker {
  const own = links.pages.find(({ page_id }) => page_id === page.id);
  const base = own?.by_challenge ?? own?.by_address ?? null;
  return (purpose) => {
    if (base === null) return null;
    return purpose.what === 'leave_all' && links.leave !== null ? links.leave : withState(base, purpose);
  };
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
