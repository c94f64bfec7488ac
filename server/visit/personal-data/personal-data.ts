import type { DataKind } from '#contract/public-preferences.ts';
import type { CustomerSession } from '#server/accounts/access/customer-session-token.ts';
import { findSite } from '#server/accounts/sites/sites.ts';
import {
  complaintsOfCustomer,
  type ComplaintRow,
  openComplaint,
} from '#server/audience/complaints/complaints.ts';
import { getCustomer, getCustomerLists, requireCustomer } from '#server/audience/customers/customers.ts';
import { bounceOf } from '#server/audience/customers/email-bounces.ts';
import { refuseExpired } from '#server/audience/customers/link-levels.ts';
import {
  choicesOfCustomer,
  presentEvidence,
  type ReasonedChoiceRow,
} from '#server/audience/evidence/evidence.ts';
import type { Visit } from '#server/audience/evidence/visit.ts';
import { requireOpenedPage } from '#server/pages/preference-pages/public-pages.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { notFound } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import { importRowsOfPerson, type RowOfPerson } from '#server/sync/imports/imports.ts';
import { queueCustomerMail } from '#server/visit/customer-mails/customer-mails.ts';
import { consumeMailLimit } from '#server/visit/customer-mails/mail-limits.ts';
import { listPendingChanges } from '#server/visit/pending-changes/pending-changes.ts';
import { maskEmail } from '#web/page/view.ts';
import { attemptsOfCustomer, deliveriesOfCustomer } from './personal-data.sql.ts';

/**
 * Mails the customer a link that downloads or erases their personal data. A typed address is enough to ask for it:
 * access to the mailbox is the proof.
 * @throws AppError `not_found`, `link_expired`, `rate_limited`
 */
export async function requestData(
  services: Services,
  visit: Visit,
  session: CustomerSession,
  kind: DataKind,
): Promise<{ masked_email: string }> {
  const { siteId, ip, language } = visit;
  await requireOpenedPage(services, visit, session);
  await refuseExpired(services, siteId, session);
  const { email } = await getCustomer(services, siteId, session.id);
  if (await consumeMailLimit(services, kind, { siteId, ip, email })) {
    const { id: customerId, pageId } = session;
    await services.database.inSite(siteId, (site) =>
      queueCustomerMail(services, site, { kind: `data_${kind}`, customerId, pageId, language }),
    );
  }
  return { masked_email: maskEmail(email) };
}

const CHOICES_AT_ONCE = 500;

async function allChoices(site: SiteDb, customerId: string): Promise<ReasonedChoiceRow[]> {
  const all: ReasonedChoiceRow[] = [];
  for (;;) {
    const page = { before: all.at(-1)?.id ?? null, limit: CHOICES_AT_ONCE };
    const rows = await choicesOfCustomer(site, customerId, page);
    all.push(...rows.slice(0, CHOICES_AT_ONCE));
    if (rows.length <= CHOICES_AT_ONCE) return all;
  }
}

function readable(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** The destination, without secrets that the receiver's URL may contain. */
function receiverOf(url: string): string | null {
  if (url.startsWith('mailto:')) return url.split('@').at(-1) ?? null;
  return URL.canParse(url) ? new URL(url).host : null;
}

async function deliveriesOf(site: SiteDb, customerId: string) {
  const [deliveries, attempts] = await Promise.all([
    deliveriesOfCustomer(site, customerId),
    attemptsOfCustomer(site, customerId),
  ]);
  const byDelivery = Map.groupBy(attempts, (attempt) => attempt.delivery_id);
  return deliveries.map((delivery) => ({
    choice_id: delivery.choice_id,
    because_of: delivery.event,
    action: delivery.action_name,
    action_type: delivery.action_type,
    status: delivery.status,
    created_at: delivery.created_at.toISOString(),
    finished_at: delivery.finished_at?.toISOString() ?? null,
    sent: (byDelivery.get(delivery.id) ?? []).map((attempt) => ({
      at: attempt.started_at.toISOString(),
      to: receiverOf(attempt.request.url),
      outcome: attempt.outcome,
      content: attempt.content_deleted_at === null ? readable(attempt.request.body) : null,
      content_deleted_at: attempt.content_deleted_at?.toISOString() ?? null,
    })),
  }));
}

/**
 * All personal data of a customer, for the customer.
 * @throws AppError `not_found`
 */
export async function personalDataOf(services: Services, siteId: string, customerId: string) {
  const [site, lists, pending] = await Promise.all([
    findSite(services, siteId),
    getCustomerLists(services, siteId, customerId),
    listPendingChanges(services, siteId, customerId),
  ]);
  if (site === null) throw notFound('This site');
  const { customer, bounce, choices, deliveries, imports, complaints } = await services.database.readSite(
    siteId,
    async (db) => {
      const row = await requireCustomer(db, customerId);
      return {
        customer: row,
        bounce: await bounceOf(db, row),
        choices: await allChoices(db, customerId),
        deliveries: await deliveriesOf(db, customerId),
        complaints: await complaintsOfCustomer(db, row.id, { onlyOpen: false }),
        imports: await importRowsOfPerson(db, { customerId, emailKey: row.email_key ?? '' }),
      };
    },
  );
  return {
    made_at: services.clock.now().toISOString(),
    held_by: {
      name: site.name,
      website: site.url,
      legal_name: site.operator.legal_name,
      postal_address: site.operator.postal_address,
      privacy_policy: site.operator.privacy_url,
    },
    customer: {
      id: customer.id,
      email: customer.email,
      unsubscribed_from_everything: customer.global_unsubscribe,
      paused_until: customer.paused_until?.toISOString() ?? null,
      inbox_reported_as_someone_elses_at: customer.wrong_recipient_at?.toISOString() ?? null,
      personal_links_ended_at: customer.links_ended_at?.toISOString() ?? null,
      last_email_refused: bounce,
      created_at: customer.created_at.toISOString(),
      updated_at: customer.updated_at.toISOString(),
    },
    subscriptions: lists.results.map(({ name, subscribed, changed_at }) => ({
      list: name,
      subscribed,
      changed_at,
    })),
    // Requested, but not yet confirmed by email.
    pending_changes: pending.results,
    // Newest first, with what was shown, where it came from, and the reason for leaving if one was given. Whether it was
    // a test says something of the business, not of them.
    choices: choices.map((choice) => {
      const {
        customer_id: _,
        hash: __,
        previous_hash: ___,
        test: ____,
        ...record
      } = presentEvidence(services, choice);
      return record;
    }),
    deliveries,
    imports: imports.map(importedRow),
    complaints: complaints.map((one) => complaintOf(services, one)),
  };
}

function complaintOf(services: Services, row: ComplaintRow) {
  return {
    received_at: row.received_at.toISOString(),
    text: openComplaint(services, row, row.text_sealed),
    acknowledged_at: row.acknowledged_at?.toISOString() ?? null,
    answer_due_at: row.due_at.toISOString(),
    answered_at: row.closed_at?.toISOString() ?? null,
    outcome: row.outcome,
    answer: openComplaint(services, row, row.answer_sealed),
  };
}

/** What an imported file or a tool said about the customer. */
function importedRow(row: RowOfPerson) {
  const names = row.columns ?? [];
  return {
    source: row.source,
    file_name: row.file_name,
    imported_at: row.created_at.toISOString(),
    row: row.number,
    values:
      row.fields === null
        ? null
        : Object.fromEntries(row.fields.map((cell, at) => [names[at] ?? `Column ${at + 1}`, cell])),
    told: row.fields === null ? row.preferences : null,
    result: row.verdict,
    reason: row.reason,
  };
}
