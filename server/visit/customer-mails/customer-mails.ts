import type { Language } from '#contract/fields.ts';
import type { PendingKind } from '#contract/pending-changes.ts';
import type { SiteDb, Statement } from '#server/platform/database.ts';
import { newId } from '#server/platform/ids.ts';
import type { JobQueue } from '#server/platform/queue.ts';
import { openText, sealText } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';

/** Who asked on the page, as far as the evidence about a person that the mail makes needs it. */
export interface AskedBy {
  host: string;
  /** Anonymised already. */
  ip: string | null;
  userAgent: string | null;
}

interface Common {
  /** The page whose look and languages the mail has; null: the site's first page. */
  pageId: string | null;
  /** null: the language of the customer's last choice, or else the page's. */
  language: Language | null;
}

/** A mail to a customer. What is sent is looked up and written when it is sent. */
export type CustomerMail = Common &
  (
    | { kind: 'personal_link'; email: string; askedBy: AskedBy }
    | {
        kind: 'email_changed';
        customerId: string;
        /** Of the choice that changes it. */
        sequence: number;
        oldEmail: string;
        newEmail: string;
      }
    | { kind: 'data_download' | 'data_erasure'; customerId: string }
    /** To the address on file, for anyone who asks with a link that has aged. */
    | { kind: 'fresh_link'; customerId: string }
    /** Asks to confirm a pending change; not sent where it was replaced meanwhile. */
    | { kind: 'confirm_change'; customerId: string; pendingKind: PendingKind; pendingId: string }
    /** Tells that the person receives again what they had left, by this choice. */
    | { kind: 'resubscribed'; customerId: string; choiceId: string; everything: boolean; listIds: string[] }
    /** `sequence` of the choice that left it; `listId` null: everything. */
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
    // Whom a mail went to is nobody's business once it is gone.
    deleteAfterSeconds: 60,
  },
};

const purposeOf = (siteId: string) => `customer-mail:${siteId}`;

/**
 * The statement that queues a mail, for the last statements of the site's own transaction: the mail is sent exactly
 * when it commits. Whom it goes to and what it says lies sealed in the queue and is gone a minute after sending.
 */
export async function customerMailStatement(
  services: Services,
  site: SiteDb,
  mail: CustomerMail,
): Promise<Statement> {
  const sealed = sealText(services.keyring, purposeOf(site.id), JSON.stringify(mail));
  return services.queue.enqueueStatement(site, CUSTOMER_MAILS, [{ id: newId(), round: 0, sealed }]);
}

/** The same where more may follow in the transaction. */
export async function queueCustomerMail(services: Services, site: SiteDb, mail: CustomerMail): Promise<void> {
  const { sql, parameters } = await customerMailStatement(services, site, mail);
  await site.query(sql, [...parameters]);
}

/** null when these keys did not seal it for this site. */
export function openCustomerMail(services: Services, siteId: string, sealed: string): CustomerMail | null {
  const text = openText(services.keyring, purposeOf(siteId), sealed);
  return text === null ? null : (JSON.parse(text) as CustomerMail);
}
