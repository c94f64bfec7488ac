import { openText, reencryptText, type SealedRow, sealText } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';

export type { ComplaintRow, ListedComplaintRow } from './complaints.sql.ts';
export {
  closeComplaint,
  complaintsOfCustomer,
  countOpenComplaints,
  eraseComplaintsOf,
  findComplaint,
  insertComplaint,
  markComplaint,
  searchComplaints,
  unmarkComplaint,
} from './complaints.sql.ts';

const DAY_MS = 86_400_000;

/** 30 days, the first of which is the day it was received: section 164A(3) of the UK's Data Protection Act 2018. */
const ACKNOWLEDGE_AFTER_DAYS = 29;

/** How long before the due date its owners are reminded. */
const REMIND_DAYS = 7;

const purposeOf = (siteId: string) => `complaint:${siteId}`;

type Keys = Pick<Services, 'keyring'>;

export function sealComplaint({ keyring }: Keys, siteId: string, text: string): string {
  return sealText(keyring, purposeOf(siteId), text);
}

/** null if there is none, or no key decrypts it. */
export function openComplaint({ keyring }: Keys, siteId: string, sealed: string | null): string | null {
  return sealed === null ? null : openText(keyring, purposeOf(siteId), sealed);
}

/** null if no key decrypts it. */
export function reencryptComplaint({ keyring }: Keys, row: SealedRow): string | null {
  return reencryptText(keyring, purposeOf(row.site_id), row.sealed);
}

/**
 * One month after it was received, as GDPR Art. 12(3) counts it for requests: the same day of the next month, or that
 * month's last day where it is shorter (Regulation 1182/71, Art. 3).
 */
export function dueDateOf(receivedAt: Date): Date {
  const due = new Date(receivedAt);
  due.setUTCMonth(due.getUTCMonth() + 1);
  // A month too short for it runs over into the one after.
  if (due.getUTCDate() !== receivedAt.getUTCDate()) due.setUTCDate(0);
  return due;
}

export function acknowledgeBy(receivedAt: Date): Date {
  return new Date(receivedAt.getTime() + ACKNOWLEDGE_AFTER_DAYS * DAY_MS);
}

export function remindAt(dueAt: Date): Date {
  return new Date(dueAt.getTime() - REMIND_DAYS * DAY_MS);
}
