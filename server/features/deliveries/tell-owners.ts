import { responsibleForSite } from '#server/features/organizations/members.ts';
import type { Services } from '#server/platform/services.ts';
import { type OwnersNews, ownersMail } from './deliveries.mails.ts';

const PATHS: Record<OwnersNews['kind'], string> = { action_off: '/actions', tool_trouble: '/integrations' };

/** Mails all owners of a site, each in their language. One who cannot be reached does not hold up the others. */
export async function tellOwners(services: Services, siteId: string, news: OwnersNews): Promise<void> {
  const members = await responsibleForSite(services.database.global, siteId);
  const link = services.config.appUrl + PATHS[news.kind];
  for (const { email, attrs } of members) {
    const mail = ownersMail({ news, link, language: attrs['language'] });
    await services.mailer
      .send({ to: email, ...mail })
      .catch((error: unknown) =>
        services.log.warn({ err: error }, 'an owner could not be told about what no longer runs'),
      );
  }
}
