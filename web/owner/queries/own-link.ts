import { mintOwnLink } from '#contract/page-drafts.ts';
import { call } from '../api/call.ts';
import type { SiteParams } from '../site/site-params.ts';

/** The owner's personal link to a page. Not stored: it proves who opens it. */
export async function ownLinkTo({ organization_id, site_id }: SiteParams, id: string): Promise<string> {
  return (await call(mintOwnLink, { params: { organization_id, site_id, id } })).preference_url;
}
