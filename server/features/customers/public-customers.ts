import type { LeaveReason } from '#contract/choices.ts';
import type { Language } from '#contract/fields.ts';
import type { ListPreference } from '#contract/customers.ts';
import type { CustomerPage } from '#contract/preference-pages.ts';
import type { PauseDays, PublicCustomer } from '#contract/public-preferences.ts';
import {
  type Along,
  type ChoiceResult,
  type ChoiceWish,
  type Circumstances,
  saveChoice,
} from '#server/features/choices/choices.ts';
import { customerMailStatement } from '#server/features/customer-mails/customer-mails.ts';
import { queuePersonalLink } from '#server/features/customer-mails/personal-link.ts';
import { recordReason } from '#server/features/choices/reasons.ts';
import {
  listText,
  requirePageById,
  requirePageByPath,
  type ServedPage,
} from '#server/features/preference-pages/public-pages.ts';
import { siteUrl } from '#server/platform/config.ts';
import { AppError, invalidField, notFound } from '#server/platform/errors.ts';
import type { Limit } from '#server/platform/limits.ts';
import type { Services } from '#server/platform/services.ts';
import { type Capability, sealCapability } from './capability.ts';
import { readChallenge } from './challenge.ts';
import { addCustomer } from './customers.ts';
import { requireReceipt, sealReceipt } from './receipts.ts';
import { undoChoice } from './undo.ts';
import { customerOnPage, type CustomerRow, findCustomer, findCustomerByEmail } from './customers.sql.ts';

const LOOKUPS_OF_ADDRESS: Limit = { name: 'lookup-address', points: 20, perSeconds: 600 };
// An office shares one address; each look-up also counts for the address that was typed.
const LOOKUPS_OF_IP: Limit = { name: 'lookup-ip', points: 600, perSeconds: 600 };
const LOOKUPS_OF_SITE: Limit = { name: 'lookup-site', points: 6000, perSeconds: 600 };
// Each change is told to the address before it, and tells whether another one is taken.
const EMAIL_CHANGES_OF_CUSTOMER: Limit = { name: 'email-changes', points: 10, perSeconds: 3600 };

/** Who asks, and through what: what the evidence will say about a choice made on the public page. */
export interface Visit {
  siteId: string;
  host: string;
  ip: string;
  userAgent: string | null;
  language: Language | null;
}

export function circumstancesOf(
  services: Services,
  visit: Visit,
  served: ServedPage,
  how: Pick<Circumstances, 'source' | 'authority' | 'saveId' | 'saveBody'>,
): Circumstances {
  const language = visit.language ?? served.page.languages.default;
  return {
    ...how,
    language,
    ip: visit.ip,
    userAgent: visit.userAgent,
    shown: {
      page_id: served.id,
      page_version: served.version,
      template_id: served.page.attrs.template_id,
      url: `${siteUrl(services.config, visit.host)}/${served.customPath}`,
      lists: served.page.lists.map((list) => ({
        list_id: list.id,
        ...pick(listText(list, language)),
        default_state: list.subscription_default_state,
      })),
    },
  };
}

function pick({ name, description }: { name: string; description: string }) {
  return { name, description };
}

function present(
  services: Services,
  visit: Visit,
  served: ServedPage,
  level: Capability['level'],
  customer: Pick<CustomerRow, 'id' | 'email' | 'global_unsubscribe' | 'paused_until'>,
): PublicCustomer {
  return {
    id: sealCapability(services, visit.siteId, { id: customer.id, pageId: served.id, level }),
    email: customer.email ?? '',
    global_unsubscribe: customer.global_unsubscribe,
    paused_until: customer.paused_until?.toISOString() ?? null,
  };
}

function unknownCustomer(): AppError {
  return new AppError('customer_not_found', 'No customer of this page has this address or link.');
}

/** The same for every address, known or not. */
function proofNeeded(): AppError {
  return new AppError(
    'proof_needed',
    'This page asks for proof of the address. If the address is known here, a personal link is on its way to it; open that link.',
  );
}

/** @returns the id of the customer that a personal link of this site proves, or null; who was erased keeps theirs */
export function provenCustomer({ keyring }: Services, siteId: string, challenge: string): string | null {
  const proof = readChallenge(keyring, challenge);
  return proof !== null && proof.siteId === siteId && proof.purpose === 'manage' ? proof.customerId : null;
}

async function findByChallenge(
  services: Services,
  siteId: string,
  challenge: string,
): Promise<CustomerRow | null> {
  const id = provenCustomer(services, siteId, challenge);
  if (id === null) return null;
  return (await services.database.readSite(siteId, (site) => findCustomer(site, id))) ?? null;
}

/** Counts a look-up by address against its limits: per address, per IP and per site. */
export async function limitLookups(
  services: Services,
  visit: Visit,
  email: string,
  how: 'use' | 'useForReading',
): Promise<void> {
  const { limits } = services;
  await limits[how](LOOKUPS_OF_IP, `${visit.siteId}:${visit.ip}`);
  await limits[how](LOOKUPS_OF_ADDRESS, `${visit.siteId}:${email.toLowerCase()}`);
  await limits[how](LOOKUPS_OF_SITE, visit.siteId);
}

/**
 * Reading only: the customer of a typed or linked address on an open page. Enhanced pages know nobody by address.
 */
export async function findByEmail(
  services: Services,
  visit: Visit,
  served: ServedPage,
  email: string,
): Promise<CustomerRow | null> {
  if (served.page.attrs.enhanced_security) return null;
  return (
    (await services.database.readSite(visit.siteId, (site) =>
      findCustomerByEmail(site, email.toLowerCase()),
    )) ?? null
  );
}

/**
 * Finds the customer of a challenge or an address, or creates one where the page allows it. A page that asks for
 * proof mails a personal link instead, and says the same whoever the address belongs to.
 * @throws AppError `customer_not_found`, `proof_needed`, `rate_limited`
 */
export async function openCustomer(
  services: Services,
  visit: Visit,
  input: { custom_path: string } & ({ email: string } | { challenge: string }),
): Promise<PublicCustomer> {
  const served = await requirePageByPath(services, visit.siteId, input.custom_path);
  if ('challenge' in input) {
    const customer = await findByChallenge(services, visit.siteId, input.challenge);
    if (customer === null) throw unknownCustomer();
    return present(services, visit, served, 'proven', customer);
  }
  await limitLookups(services, visit, input.email, 'use');
  if (served.page.attrs.enhanced_security) {
    await queuePersonalLink(services, visit, served, input.email);
    throw proofNeeded();
  }
  const known = await findByEmail(services, visit, served, input.email);
  if (known !== null) return present(services, visit, served, 'open', known);
  if (!served.allowCustomerCreate) throw unknownCustomer();
  const created = await addCustomer(
    services,
    visit.siteId,
    input.email,
    circumstancesOf(services, visit, served, { source: 'page', authority: 'open', saveId: null }),
  );
  // Somebody else created it a moment ago: then it is found now.
  const customer = created ?? (await findByEmail(services, visit, served, input.email));
  if (customer === null) throw unknownCustomer();
  return present(services, visit, served, 'open', customer);
}

/** A capability of an open page is worth nothing any more once the page asks for proof. */
function isEnough(served: ServedPage, { level }: Pick<Capability, 'level'>): boolean {
  return level === 'proven' || !served.page.attrs.enhanced_security;
}

/** What a page shows of a customer: who left everything sees every list off, who pauses what comes after. */
export interface CustomerOnPage extends Omit<PublicCustomer, 'id'> {
  /** `subscribed` null: never chosen. */
  lists: { id: string; subscribed: boolean | null }[];
}

/** One reading; null where there is nobody (any more), or where the page asks for more proof. */
export async function readCustomerOnPage(
  services: Services,
  siteId: string,
  served: ServedPage,
  capability: Pick<Capability, 'id' | 'level'>,
): Promise<CustomerOnPage | null> {
  if (!isEnough(served, capability)) return null;
  const rows = await services.database.readOnce(siteId, (db) => customerOnPage(db, siteId, capability.id));
  const [customer] = rows;
  if (customer === undefined) return null;
  const hasLeft = customer.global_unsubscribe && customer.paused_until === null;
  const chosen = new Map(rows.map((row) => [row.list_id, row.subscribed]));
  return {
    email: customer.email ?? '',
    global_unsubscribe: customer.global_unsubscribe,
    paused_until: customer.paused_until?.toISOString() ?? null,
    lists: served.page.lists.map(({ id }) => ({
      id,
      subscribed: hasLeft ? false : (chosen.get(id) ?? null),
    })),
  };
}

/** The page with the customer's own state. */
export async function getCustomerPage(
  services: Services,
  siteId: string,
  capability: Capability,
  customPath: string,
): Promise<CustomerPage> {
  const served = await requirePageByPath(services, siteId, customPath);
  const customer = await readCustomerOnPage(services, siteId, served, capability);
  if (customer === null) throw notFound('This customer');
  return {
    ...served.page,
    lists: served.page.lists.map((list, index) => ({
      ...list,
      subscribed: customer.lists[index]?.subscribed ?? null,
    })),
  };
}

export interface SaveOptions {
  saveId: string | null;
  source: 'page' | 'state_link';
}

/** The page through which the customer was opened. @throws AppError `not_found` */
export async function requireOpenedPage(
  services: Services,
  visit: Visit,
  capability: Capability,
): Promise<ServedPage> {
  const served = await requirePageById(services, visit.siteId, capability.pageId);
  if (!isEnough(served, capability)) throw notFound('This customer');
  return served;
}

async function savePublic(
  services: Services,
  visit: Visit,
  capability: Capability,
  options: SaveOptions & { saveBody: unknown },
  wishOf: (served: ServedPage) => ChoiceWish,
  along?: Along,
) {
  const served = await requireOpenedPage(services, visit, capability);
  const result = await saveChoice(
    services,
    visit.siteId,
    capability.id,
    wishOf(served),
    circumstancesOf(services, visit, served, {
      source: options.source,
      authority: capability.level,
      saveId: options.saveId,
      saveBody: options.saveBody,
    }),
    {},
    along,
  );
  return { served, result };
}

/** @throws AppError `invalid_field` for a list that the page does not offer */
export async function saveLists(
  services: Services,
  visit: Visit,
  capability: Capability,
  preferences: readonly ListPreference[],
  options: SaveOptions,
) {
  const sent = { ...options, saveBody: preferences };
  const { served, result } = await savePublic(services, visit, capability, sent, ({ page }) => {
    const foreign = preferences.findIndex(
      (one) => !page.lists.some((list) => list.id === one.notification_list_id),
    );
    if (foreign >= 0) {
      const field = `${foreign}.notification_list_id`;
      throw invalidField(field, `${field}: is not a list of this page.`);
    }
    return {
      lists: preferences.map((one) => ({ list_id: one.notification_list_id, subscribed: one.subscribed })),
    };
  });
  const hasLeft = result.globalUnsubscribe && result.pausedUntil === null;
  return {
    choice_id: result.choiceId,
    global_unsubscribe: result.globalUnsubscribe,
    lists: served.page.lists.flatMap((list) => {
      const subscribed = hasLeft ? false : result.subscriptions.get(list.id);
      return subscribed === undefined ? [] : [{ notification_list_id: list.id, subscribed }];
    }),
    receipt: await sealReceipt(services, visit.siteId, capability.id, result),
  };
}

type CustomerUpdate = { global_unsubscribe: boolean } | { email: string } | { pause_days: PauseDays };

function wishOfUpdate({ clock }: Services, { page }: ServedPage, input: CustomerUpdate): ChoiceWish {
  if ('global_unsubscribe' in input) return { globalUnsubscribe: input.global_unsubscribe };
  if ('pause_days' in input) {
    if (!page.attrs.offer_pause) {
      throw invalidField('pause_days', 'pause_days: this page does not offer a pause.');
    }
    return { pauseUntil: new Date(clock.now().getTime() + input.pause_days * 86_400_000) };
  }
  if (!page.attrs.allow_email_change) {
    throw invalidField('email', 'email: this page does not let people change their address.');
  }
  return { email: input.email };
}

/** The address before a change hears of it, with a link that takes it back: it commits with the change. */
function noticeOfChange(services: Services, visit: Visit, { pageId }: Capability, newEmail: string): Along {
  return async (site, { id, sequence, email: oldEmail }) => {
    if (oldEmail === null || oldEmail.toLowerCase() === newEmail.toLowerCase()) return [];
    const { language } = visit;
    const change = { customerId: id, sequence: sequence + 1, oldEmail, newEmail };
    const mail = { kind: 'email_changed', pageId, language, ...change } as const;
    return [await customerMailStatement(services, site, mail)];
  };
}

/**
 * Leaves everything or comes back, pauses everything, or moves to another address, where the page allows it.
 * @throws AppError `invalid_field`, `error_exists`; `rate_limited` for too many changes of the address
 */
export async function updatePublicCustomer(
  services: Services,
  visit: Visit,
  capability: Capability,
  input: CustomerUpdate,
  options: SaveOptions,
) {
  const isMove = 'email' in input;
  if (isMove) await services.limits.use(EMAIL_CHANGES_OF_CUSTOMER, `${visit.siteId}:${capability.id}`);
  const saved = await savePublic(
    services,
    visit,
    capability,
    { ...options, saveBody: input },
    (served) => wishOfUpdate(services, served, input),
    isMove ? noticeOfChange(services, visit, capability, input.email) : undefined,
  );
  return {
    ...presentResult(services, visit, capability, saved),
    receipt: await sealReceipt(services, visit.siteId, capability.id, saved.result),
  };
}

function presentResult(
  services: Services,
  visit: Visit,
  capability: Capability,
  { served, result }: { served: ServedPage; result: ChoiceResult },
): PublicCustomer {
  return present(services, visit, served, capability.level, {
    id: capability.id,
    email: result.email,
    global_unsubscribe: result.globalUnsubscribe,
    paused_until: result.pausedUntil,
  });
}

/** @throws AppError `invalid_field` for a receipt that is not valid (any more), `conflict` when something was chosen since */
export async function undoPublicChoice(
  services: Services,
  visit: Visit,
  capability: Capability,
  sealed: string,
  saveId: string | null,
): Promise<PublicCustomer> {
  const receipt = requireReceipt(services, visit.siteId, capability.id, sealed);
  const served = await requireOpenedPage(services, visit, capability);
  const { source: _, ...circumstances } = circumstancesOf(services, visit, served, {
    source: 'undo',
    authority: capability.level,
    saveId,
  });
  const result = await undoChoice(services, visit.siteId, receipt, circumstances);
  return presentResult(services, visit, capability, { served, result });
}

/** @throws AppError `invalid_field` for a receipt that is not valid (any more) */
export async function givePublicReason(
  services: Services,
  visit: Visit,
  capability: Capability,
  input: { receipt: string; reason: LeaveReason },
): Promise<void> {
  const receipt = requireReceipt(services, visit.siteId, capability.id, input.receipt);
  await requireOpenedPage(services, visit, capability);
  await recordReason(services, visit.siteId, receipt, input.reason);
}
