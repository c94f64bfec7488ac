import type { PendingKind } from '#contract/pending-changes.ts';
import type { CustomerSession } from '#server/accounts/access/customer-session-token.ts';
import { findCustomer } from '#server/audience/customers/customers.ts';
import type { Visit } from '#server/audience/evidence/visit.ts';
import { requireOpenedPage } from '#server/pages/preference-pages/public-pages.ts';
import { notFound } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import { queueCustomerMail } from '#server/visit/customer-mails/customer-mails.ts';
import { findPending } from '#server/visit/pending-changes/pending-changes.sql.ts';
import { changeOfPending } from '#server/visit/pending-changes/pending-changes.ts';
import { maskEmail } from '#web/page/view.ts';
import { mailRefusal } from './hold-changes.ts';

/**
 * Mails the link of a pending change again. It works as long as the first one: until the change expires.
 * @throws AppError `not_found` if nothing of this kind waits; `rate_limited` for more mails than an address gets
 */
export async function resendConfirmation(
  services: Services,
  visit: Visit,
  session: CustomerSession,
  kind: PendingKind,
): Promise<{ masked_email: string }> {
  const { siteId, ip, language } = visit;
  const { id: customerId, pageId } = session;
  await requireOpenedPage(services, visit, session);
  const found = await services.database.readSite(siteId, async (site) => {
    const customer = await findCustomer(site, customerId);
    const row = await findPending(site, customerId, kind);
    const opened = row === undefined ? null : await changeOfPending(services, site, row);
    if (customer === undefined || customer.email === null || row === undefined || opened === null) {
      throw notFound('This pending change');
    }
    const { wish } = opened;
    return { pendingId: row.id, to: wish.kind === 'email_change' ? wish.email : customer.email };
  });
  const refusal = await mailRefusal(services, { siteId, ip }, kind, found.to);
  if (refusal !== null) throw refusal;
  const { pendingId } = found;
  await services.database.inSite(siteId, (site) =>
    queueCustomerMail(services, site, {
      kind: 'confirm_change',
      customerId,
      pendingKind: kind,
      pendingId,
      pageId,
      language,
    }),
  );
  return { masked_email: maskEmail(found.to) };
}
