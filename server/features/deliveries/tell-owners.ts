import { responsibleForSite } from '#server/features/organizations/members.ts';
import type { Services } from '#server/platform/services.ts';
import type { OwnersMail } from './deliveries.mails.ts';

/** Mails all owners of a site. One who cannot be reached does not hold up the others. */
export async function tellOwners(services: Services, siteId: string, mail: OwnersMail): Promise<void> {
  const members = await responsibleForSite(services.database.global, siteId);
  for (const member of members) {
    await services.mailer
      .send({ to: member.email, ...mail })
      .catch((error: unknown) =>
        services.log.warn({ err: error }, 'an owner could not be told about what no longer runs'),
      );
  }
}
