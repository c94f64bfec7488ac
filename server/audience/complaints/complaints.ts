import { idToBytes } from '#server/platform/ids.ts';
import { reencryptText, type SealedRow } from '#server/platform/secrets.ts';
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

const PURPOSE = 'complaint';

type Keys = Pick<Services, 'keyring'>;
type Of = { site_id: string; id: string };

const contextOf = ({ site_id: siteId, id }: Of) => Buffer.concat([idToBytes(siteId), idToBytes(id)]);

/** Seals the text of a complaint, or its answer. */
export function sealComplaint({ keyring }: Keys, of: Of, text: string): string {
  return keyring.seal(PURPOSE, Buffer.from(text, 'utf8'), contextOf(of));
}

/** null if there is none, or no key decrypts it. */
export function openComplaint({ keyring }: Keys, of: Of, sealed: string | null): string | null {
  if (sealed === null) return null;
  const plain = keyring.open(PURPOSE, sealed, contextOf(of));
  return plain?.toString('utf8') ?? null;
}

/** null if no key decrypts it. */
export function reencryptComplaint({ keyring }: Keys, row: SealedRow): string | null {
  return reencryptText(keyring, PURPOSE, row.sealed, contextOf(row));
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
