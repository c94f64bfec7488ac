import { urlOfSite } from '#server/accounts/sites/sites.ts';
import { dayOf, makeChallenge } from '#server/audience/customers/challenge.ts';
import { requireCustomer } from '#server/audience/customers/customers.ts';
import { provesUntil } from '#server/audience/customers/link-levels.ts';
import { getList } from '#server/audience/lists/lists.ts';
import { findFirstPagePath, requireLinkedPage } from '#server/pages/preference-pages/public-pages.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';

async function pagePath(services: Services, siteId: string, wished: string | undefined): Promise<string> {
  if (wished !== undefined) return (await requireLinkedPage(services, siteId, wished)).customPath;
  const first = await findFirstPagePath(services, siteId);
  if (first === null) {
    throw new AppError('not_found', 'custom_path: this site has no preference page yet. Create one first.', {
      field: 'custom_path',
    });
  }
  return first;
}

/** Creates the personal links of a customer; nothing is stored. */
export async function mintLinks(
  services: Services,
  siteId: string,
  customerId: string,
  input: { custom_path?: string | undefined; list_id?: string | undefined },
) {
  if (input.list_id !== undefined) await getList(services, siteId, input.list_id);
  const customer = await services.database.readSite(siteId, (site) => requireCustomer(site, customerId));
  const [siteUrl, path] = await Promise.all([
    urlOfSite(services, siteId),
    pagePath(services, siteId, input.custom_path),
  ]);
  const expiresAt = await provesUntil(services, siteId);
  const common = {
    siteId,
    customerId: customer.id,
    issuedOn: dayOf(services.clock.now()),
    generation: customer.link_generation,
  };
  const challenge = makeChallenge(services.keyring, { ...common, purpose: 'manage', listId: null });
  const leave = makeChallenge(services.keyring, {
    ...common,
    purpose: 'leave',
    listId: input.list_id ?? null,
  });
  const oneClickUrl = `${siteUrl}/u/${leave}`;
  return {
    challenge,
    preference_url: `${siteUrl}/${path}?challenge=${challenge}`,
    one_click_url: oneClickUrl,
    expires_at: expiresAt.toISOString(),
    headers: {
      // RFC 8058: one https URI, and exactly this second header.
      'List-Unsubscribe': `<${oneClickUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  };
}
