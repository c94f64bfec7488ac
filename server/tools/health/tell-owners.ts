import { tellResponsible } from '#server/accounts/organizations/tell-responsible.ts';
import { screenLink } from '#server/accounts/sites/screen-link.ts';
import type { Services } from '#server/platform/services.ts';
import { type OwnersNews, ownersMail } from './deliveries.mails.ts';

const PATHS: Record<OwnersNews['kind'], string> = { action_off: '/actions', tool_trouble: '/integrations' };

/** Mails all owners of a site, each in their language. */
export async function tellOwners(services: Services, siteId: string, news: OwnersNews): Promise<void> {
  const link = screenLink(services.config, siteId, PATHS[news.kind]);
  await tellResponsible(services, siteId, (language) => ownersMail({ news, link, language }));
}
