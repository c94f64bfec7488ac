import { notifyResponsible } from '#server/accounts/organizations/notify-responsible.ts';
import { screenLink } from '#server/accounts/sites/screen-link.ts';
import { findSite } from '#server/accounts/sites/sites.ts';
import type { Services } from '#server/platform/services.ts';
import { type OwnerNotice, ownerNoticeMail } from './owner-notices.mails.ts';

/** Where what it is about can be fixed. */
function pathOf(notice: OwnerNotice): string {
  if (notice.kind !== 'tool_trouble') return '/actions';
  const path = `/integrations/${notice.integrationId}`;
  return notice.why === 'failing' ? path : `${path}?connect=true`;
}

/** Emails all owners of a site, each in their language. */
export async function notifyOwners(services: Services, siteId: string, notice: OwnerNotice): Promise<void> {
  const site = (await findSite(services, siteId))?.name ?? '';
  const link = screenLink(services.config, siteId, pathOf(notice));
  await notifyResponsible(services, siteId, (language) => ownerNoticeMail({ notice, site, link, language }));
}
