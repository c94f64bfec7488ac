import type { Language } from '#contract/fields.ts';
import type { PendingKind } from '#contract/pending-changes.ts';
import type { SiteDb, Statement } from '#server/platform/database.ts';
import { newId } from '#server/platform/ids.ts';
import type { JobQueue } from '#server/platform/queue.ts';
import { openText, sealText } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';

/** Who asked on the page, for the evidence of a customer whom the mail creates. */
export interface AskedBy {
  host: string;
  /** Anonymised already. */
  ip: string | null;
  userAgent: string | null;
}

interface Common {
  /** The page that sets the mail's design and languages; null: the site's first page. */
  pageId: string | null;
  /** null: the language of the customer's last choice, or else the page's. */
  language: Language | null;
}

/** A mail to a customer. Its content is looked up and written at sending time. */
export type CustomerMail = Common &
  (
    | { kind: 'personal_link'; email: string; askedBy: AskedBy }
    | {
        kind: 'email_changed';
        customerId: string;
        /** `sequence` of the choice that changes it. */
        sequence: number;
        oldEmail: string;
        newEmail: string;
      }
    | { kind: 'data_download' | 'data_erasure'; customerId: string }
    /** Confirms the receipt of a complaint, and tells its outcome. */
    | { kind: 'complaint_received' | 'complaint_answered'; customerId: string; complaintId: string }
    /** To the address on file, for anyone who asks with a link that has aged. */
    | { kind: 'fresh_link'; customerId: string }
    /** Asks to confirm a pending change; not sent if it has since been replaced. */
    | { kind: 'confirm_change'; customerId: string; pendingKind: PendingKind; pendingId: string }
    /** Says that this choice resubscribed the customer to what they had left. */
    | { kind: 'resubscribed'; customerId: string; choiceId: string; everything: boolean; listIds: string[] }
    /** `sequence` of the choice that unsubscribed; `listId` null: from everything. */
    | { kind: 'left_by_old_email'; customerId: string; sequence: number; listId: string | null }
  );

export const CUSTOMER_MAILS: JobQueue = {
  name: 'customer-mails',
  options: {
    // A mail server that is away gets a day to come back: 2 s, 4 s, 8 s and so on, then every 10 minutes.
    retryLimit: 150,
    retryDelay: 2,
    retryBackoff: true,
    retryDelayMax: 600,
    retentionSeconds: 24 * 3600,
    expireInSeconds: 120,
    // Once a mail is sent, its recipient is not kept.
    deleteAfterSeconds: 60,
  },
};

const purposeOf = (siteId: string) => `customer-mail:${siteId}`;

/**
 * The statement that queues a mail, to be among the last of the site's own transaction: the mail is sent if and only if
 * that commits. Recipient and content are encrypted in the queue, and deleted a minute after sending.
 */
export async function customerMailStatement(
  services: Services,
  site: SiteDb,
  mail: CustomerMail,
): Promise<Statement> {
  const sealed = sealText(services.keyring, purposeOf(site.id), JSON.stringify(mail));
  return services.queue.enqueueStatement(site, CUSTOMER_MAILS, [{ id: newId(), round: 0, sealed }]);
}

/** The same, if more statements may follow in the transaction. */
export async function queueCustomerMail(services: Services, site: SiteDb, mail: CustomerMail): Promise<void> {
  const { sql, parameters } = await customerMailStatement(services, site, mail);
  await site.query(sql, [...parameters]);
}

/** null if it was not sealed for this site with these keys. */
export function openCustomerMail(services: Services, siteId: string, sealed: string): CustomerMail | null {
  const text = openText(services.keyring, purposeOf(siteId), sealed);
  return text === null ? null : (JSON.parse(text) as CustomerMail);
}
