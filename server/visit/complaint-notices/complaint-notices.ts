import { notifyResponsible } from '#server/accounts/organizations/notify-responsible.ts';
import { screenLink } from '#server/accounts/sites/screen-link.ts';
import { findSite } from '#server/accounts/sites/sites.ts';
import {
  type ComplaintRow,
  complaintsOfCustomer,
  markComplaint,
  remindAt,
  unmarkComplaint,
} from '#server/audience/complaints/complaints.ts';
import type { CustomerTimerRow } from '#server/audience/customers/customer-timers.ts';
import type { Services } from '#server/platform/services.ts';
import { complaintMail, type ComplaintNews } from './complaint-notices.mails.ts';

const TRY_AGAIN_MS = 5 * 60_000;

/**
 * Run by the timer: notifies the owners of new complaints of a customer, and reminds them once of those that are due in
 * a week. Several workers may run the same timer: the one that writes it down first sends it.
 * @returns when to run it again; null if no complaint is open
 */
export async function notifyOfComplaints(
  services: Services,
  { site_id: siteId, customer_id: customerId }: CustomerTimerRow,
): Promise<Date | null> {
  const open = await services.database.readSite(siteId, (site) =>
    complaintsOfCustomer(site, customerId, { onlyOpen: true }),
  );
  const now = services.clock.now();
  let isReached = true;
  for (const one of open) {
    const kind = newsOf(one, now);
    if (kind === null) continue;
    const moment = kind === 'received' ? 'notified_at' : 'reminded_at';
    const isMine = await services.database.inSite(siteId, (site) => markComplaint(site, one.id, moment, now));
    if (!isMine || (await report(services, one, kind))) continue;
    await services.database.inSite(siteId, (site) => unmarkComplaint(site, one.id, moment));
    isReached = false;
  }
  if (!isReached) return new Date(now.getTime() + TRY_AGAIN_MS);
  const reminders = open
    .filter((one) => one.reminded_at === null && remindAt(one.due_at) > now)
    .map((one) => remindAt(one.due_at).getTime());
  return reminders.length === 0 ? null : new Date(Math.min(...reminders));
}

function newsOf(complaint: ComplaintRow, now: Date): ComplaintNews | null {
  if (complaint.notified_at === null) return 'received';
  return complaint.reminded_at === null && remindAt(complaint.due_at) <= now ? 'due' : null;
}

/** @returns whether anybody was reached */
async function report(
  services: Services,
  { site_id: siteId, id, received_at: receivedAt, due_at: dueAt }: ComplaintRow,
  kind: ComplaintNews,
): Promise<boolean> {
  const site = (await findSite(services, siteId))?.name ?? '';
  const link = screenLink(services.config, siteId, `/complaints/${id}`);
  return notifyResponsible(services, siteId, (language) =>
    complaintMail({ kind, site, receivedAt, dueAt, link, language }),
  );
}
