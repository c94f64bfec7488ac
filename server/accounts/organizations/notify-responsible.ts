import type { mailDocument } from '#server/accounts/mails/mail-document.ts';
import { organizationOfSite } from '#server/accounts/sites/sites.sql.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';
import { membersIn } from './members.sql.ts';

type Mail = { subject: string } & ReturnType<typeof mailDocument>;

/**
 * Mails everybody responsible for a site. A failure for one does not affect the others.
 * @param write writes the mail in an account's language
 * @returns whether anybody was reached, or nobody is responsible
 */
export async function notifyResponsible(
  services: Pick<Services, 'database' | 'mailer' | 'log'>,
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
      services.log.warn({ err: error }, 'a notice to a site owner could not be sent');
    }
  }
  return reached > 0 || members.length === 0;
}

/** The members to notify about a site's problems: those whose role lets them fix it. */
async function responsibleForSite(
  tx: GlobalDb,
  siteId: string,
): Promise<{ email: string; attrs: Record<string, unknown> }[]> {
  const organizationId = await organizationOfSite(tx, siteId);
  return organizationId === null ? [] : membersIn(tx, organizationId, ['admin', 'owner']);
}
