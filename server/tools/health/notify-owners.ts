import { notifyResponsible } from '#server/accounts/organizations/notify-responsible.ts';
import { screenLink } from '#server/accounts/sites/screen-link.ts';
import type { Services } from '#server/platform/services.ts';
import { type OwnerNotice, ownerNoticeMail } from './owner-notices.mails.ts';

const PATHS: Record<OwnerNotice['kind'], string> = { action_off: '/actions', tool_trouble: '/integrations' };

/** Emails all owners of a site, each in their language. */
export async function notifyOwners(services: Services, siteId: string, notice: OwnerNotice): Promise<void> {
  const link = screenLink(services.config, siteId, PATHS[notice.kind]);
  await notifyResponsible(services, siteId, (language) => ownerNoticeMail({ notice, link, language }));
}
