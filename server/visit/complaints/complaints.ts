import type { Complaint, ComplaintOutcome, ComplaintState } from '#contract/complaints.ts';
import type { CustomerSession } from '#server/accounts/access/customer-session-token.ts';
import { recordChange } from '#server/accounts/audit-log/audit-log.ts';
import {
  acknowledgeBy,
  closeComplaint,
  complaintsOfCustomer,
  dueDateOf,
  findComplaint,
  insertComplaint,
  type ListedComplaintRow,
  openComplaint,
  searchComplaints,
  sealComplaint,
} from '#server/audience/complaints/complaints.ts';
import { setCustomerTimer } from '#server/audience/customers/customer-timers.ts';
import { lockCustomerRow, requireCustomer } from '#server/audience/customers/customers.ts';
import { refuseExpired } from '#server/audience/customers/link-levels.ts';
import type { Visit } from '#server/audience/evidence/visit.ts';
import { requireOpenedPage } from '#server/pages/preference-pages/public-pages.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import { cursorOf, pageOf } from '#server/platform/paging.ts';
import type { Services } from '#server/platform/services.ts';
import { customerMailStatement } from '#server/visit/customer-mails/customer-mails.ts';
import { consumeComplaintLimit } from '#server/visit/customer-mails/mail-limits.ts';
import { maskEmail } from '#web/page/view.ts';

/**
 * Stores a complaint and confirms it by email; the timer notifies the owners. A form that is sent again adds nothing.
 * @throws AppError `not_found`, `link_expired`, `rate_limited`
 */
export async function fileComplaint(
  services: Services,
  visit: Visit,
  session: CustomerSession,
  text: string,
): Promise<{ masked_email: string; due_at: string }> {
  const { siteId, ip } = visit;
  await requireOpenedPage(services, visit, session);
  await refuseExpired(services, siteId, session);
  const level = session.level === 'proven' ? 'proven' : 'open';
  await consumeComplaintLimit(services, { siteId, ip, customerId: session.id, level });
  return services.database.inSite(siteId, async (site) => {
    const { id: customerId } = await requireCustomer(site, session.id);
    // Behind the lock: nothing is kept of somebody who was erased meanwhile.
    await lockCustomerRow(site, customerId);
    const { email } = await requireCustomer(site, customerId);
    const answer = (dueAt: Date) => ({ masked_email: maskEmail(email ?? ''), due_at: dueAt.toISOString() });
    const open = await complaintsOfCustomer(site, customerId, { onlyOpen: true });
    const same = open.find((one) => openComplaint(services, one, one.text_sealed) === text);
    if (same !== undefined) return answer(same.due_at);

    const now = services.clock.now();
    const [id, dueAt, language] = [newId(), dueDateOf(now), visit.language ?? 'en'];
    await insertComplaint(site, {
      id,
      customer_id: customerId,
      page_id: session.pageId,
      level,
      language,
      text_sealed: sealComplaint(services, { site_id: siteId, id }, text),
      answer_sealed: null,
      received_at: now,
      acknowledged_at: null,
      due_at: dueAt,
      notified_at: null,
      reminded_at: null,
      closed_at: null,
      outcome: null,
    });
    const { pageId } = session;
    const mail = { kind: 'complaint_received', customerId, complaintId: id, pageId, language } as const;
    await site.commitWith([
      setCustomerTimer(site, { customerId, kind: 'complaint', dueAt: now, now }),
      await customerMailStatement(services, site, mail),
    ]);
    return answer(dueAt);
  });
}

function present(services: Services, row: ListedComplaintRow): Complaint {
  const isOpen = row.closed_at === null;
  return {
    id: row.id,
    customer_id: row.customer_id,
    email: row.email,
    text: openComplaint(services, row, row.text_sealed),
    language: row.language,
    level: row.level,
    state: isOpen ? 'open' : 'closed',
    received_at: row.received_at.toISOString(),
    acknowledge_by: acknowledgeBy(row.received_at).toISOString(),
    acknowledged_at: row.acknowledged_at?.toISOString() ?? null,
    due_at: row.due_at.toISOString(),
    is_overdue: isOpen && row.due_at < services.clock.now(),
    closed_at: row.closed_at?.toISOString() ?? null,
    outcome: row.outcome,
    answer: openComplaint(services, row, row.answer_sealed),
  };
}

export async function listComplaints(
  services: Services,
  siteId: string,
  query: {
    state?: ComplaintState | undefined;
    customer_id?: string | undefined;
    cursor?: string | undefined;
    limit: number;
  },
): Promise<{ results: Complaint[]; next: string | null }> {
  const { limit } = query;
  const after = cursorOf(query.cursor);
  const filter = { state: query.state ?? null, customerId: query.customer_id ?? null };
  const rows = await services.database.readSite(siteId, (site) =>
    searchComplaints(site, filter, { after, limit }),
  );
  return pageOf(rows, limit, (row) => present(services, row));
}

/** @throws AppError `not_found` */
export async function getComplaint(services: Services, siteId: string, id: string): Promise<Complaint> {
  const row = await services.database.readSite(siteId, (site) => findComplaint(site, id));
  if (row === undefined) throw notFound('This complaint');
  return present(services, row);
}

/**
 * Closes a complaint and emails the outcome to its customer.
 * @throws AppError `not_found`, `conflict` if it is closed
 */
export async function answerComplaint(
  services: Services,
  siteId: string,
  id: string,
  { outcome, answer }: { outcome: ComplaintOutcome; answer: string },
): Promise<Complaint> {
  return services.database.inSite(siteId, async (site) => {
    const found = await findComplaint(site, id);
    if (found === undefined) throw notFound('This complaint');
    // An erasure holds the same lock, and closes it.
    await lockCustomerRow(site, found.customer_id);
    const now = services.clock.now();
    const sealed = sealComplaint(services, found, answer);
    if (!(await closeComplaint(site, id, { outcome, answer: sealed, now }))) {
      throw new AppError(
        'conflict',
        'This complaint is already closed, so your answer was not sent. Read it again to see its outcome.',
      );
    }
    await recordChange(services, site, 'complaint.answered', { id });
    const closed = await findComplaint(site, id);
    if (closed === undefined) throw notFound('This complaint');
    const { customer_id: customerId, page_id: pageId, language } = closed;
    const mail = { kind: 'complaint_answered', customerId, complaintId: id, pageId, language } as const;
    await site.commitWith([await customerMailStatement(services, site, mail)]);
    return present(services, closed);
  });
}
