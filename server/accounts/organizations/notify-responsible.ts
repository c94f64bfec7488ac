import type { mailDocument } from '#server/accounts/mails/mail-document.ts';
import { organizationOfSite } from '#server/accounts/sites/sites.sql.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';
import { membersIn } from './members.sql.ts';

type Mail = { subject: string } & ReturnType<typeof mailDocument>;

/**
 * Mails all who are responsible for a site. One who cannot be reached does not hold up the others.
 * @param write makes the mail in the language that an account says
 * @returns whether anybody was reached, or there is nobody to reach
 */
export async function notifyResponsible(
  services: Services,
  siteId: string,
  write: (language: unknown) => Mail,
): Promise<boolean> {
  const members = await responsibleForSite(services.database.global, siteId);
  let reached = 0;
  for (const { email, attrs } of members) {
    try {
      await services.mailer.send({ to: email, ...write(attrs['language']) });
      reached += 1;
    } catch (error) {
      services.log.warn({ err: error }, 'an owner could not be told about their site');
    }
  }
  return reached > 0 || members.length === 0;
}

/** The people to tell when something of the site needs attention: those who can do something about it. */
async function responsibleForSite(
  tx: GlobalDb,
  siteId: string,
): Promise<{ email: string; attrs: Record<string, unknown> }[]> {
  const organizationId = await organizationOfSite(tx, siteId);
  return organizationId === null ? [] : membersIn(tx, organizationId, ['admin', 'owner']);
}
