import { notFound } from '#server/platform/errors.ts';
import { idFromBytes, idToBytes } from '#server/platform/ids.ts';
import { pooledRandom } from '#server/platform/random.ts';
import type { Services } from '#server/platform/services.ts';

/** Design section 5: expires within a day. */
const LIFETIME_SECONDS = 20 * 3600;
const PURPOSE = 'customer-capability';
const LEVELS = ['open', 'proven', 'leave'] as const;
const VISIT_BYTES = 8;
const BYTES = 44 + VISIT_BYTES;

/**
 * The content of an encrypted `{customerId}`: one customer, opened through one page, with a level of proof. `open`: an
 * address was typed. `proven`: a personal link. `leave`: a personal link that has expired or was revoked.
 */
export interface CustomerSession {
  id: string;
  pageId: string;
  level: (typeof LEVELS)[number];
  /** The customer's link generation at opening; 0 for `open`. If it has changed since, `proven` counts as `leave`. */
  generation: number;
  /** Of the customer's last choice that the page has shown. */
  sequence: number;
  /** Random; tells the choices made on this page from others. */
  visitId: Buffer;
  /** The page has shown a list as on that waits to be confirmed by email. */
  showsWaiting: boolean;
}

/** What a page has shown of a customer. */
export type Sight = Pick<CustomerSession, 'sequence'> &
  Partial<Pick<CustomerSession, 'visitId' | 'showsWaiting'>>;

/**
 * Layout: level (1 byte), customer (16), page (16), expiry in seconds (4), link generation (2), sequence (4), visit (8),
 * waiting (1); the site is sealed in as context.
 * @param session without a visit, a new one begins
 */
export function sealSessionToken(
  services: Pick<Services, 'keyring' | 'clock'>,
  siteId: string,
  session: Omit<CustomerSession, keyof Sight> & Sight,
): string {
  const plain = Buffer.alloc(BYTES);
  plain.writeUInt8(LEVELS.indexOf(session.level), 0);
  idToBytes(session.id).copy(plain, 1);
  idToBytes(session.pageId).copy(plain, 17);
  plain.writeUInt32BE(Math.floor(services.clock.now().getTime() / 1000) + LIFETIME_SECONDS, 33);
  plain.writeUInt16BE(session.generation, 37);
  plain.writeUInt32BE(session.sequence, 39);
  (session.visitId ?? pooledRandom(VISIT_BYTES)).copy(plain, 43);
  plain.writeUInt8(session.showsWaiting ? 1 : 0, 43 + VISIT_BYTES);
  return services.keyring.seal(PURPOSE, plain, idToBytes(siteId));
}

/** @throws AppError `not_found` for anything forged, of another site, or expired */
export function requireSessionToken(services: Services, siteId: string, sealed: string): CustomerSession {
  const opened = openSessionToken(services, siteId, sealed);
  if (opened === null || opened.expiresAt <= services.clock.now()) throw notFound('This customer');
  return opened.session;
}

/** The session of a token that may have expired; null for anything forged or of another site. */
export function openSessionToken(
  services: Pick<Services, 'keyring'>,
  siteId: string,
  sealed: string,
): { session: CustomerSession; expiresAt: Date } | null {
  const plain = services.keyring.open(PURPOSE, sealed, idToBytes(siteId));
  const level = plain === null ? undefined : LEVELS[plain.readUInt8(0)];
  if (plain === null || plain.length !== BYTES || level === undefined) return null;
  const session = {
    id: idFromBytes(plain.subarray(1, 17)),
    pageId: idFromBytes(plain.subarray(17, 33)),
    level,
    generation: plain.readUInt16BE(37),
    sequence: plain.readUInt32BE(39),
    visitId: plain.subarray(43, 43 + VISIT_BYTES),
    showsWaiting: plain.readUInt8(43 + VISIT_BYTES) === 1,
  };
  return { session, expiresAt: new Date(plain.readUInt32BE(33) * 1000) };
}
