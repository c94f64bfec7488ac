import { z } from 'zod';
import { type Consent, ConnectorError, path, type Resource, type ToolApi } from '../connector.ts';
import { consentWords } from '../consent-words.ts';
import { dateOf } from '../timestamps.ts';
import { anId, read, VERSION } from './answers.ts';

/*
 * What may be mailed belongs to the address in HubSpot, not to the contact: it is there without one, and does not move
 * with one.
 */

export const AT = `/communication-preferences/${VERSION}`;
export const EMAIL = { channel: 'EMAIL' };

/**
 * Stored by HubSpot beside each status: tells what was chosen through us from what the person did in HubSpot. Statuses
 * are recognised by these words at the beginning, so rewording one turns every earlier opt-out into the person's own.
 */
const CHOSEN = 'Chosen by the person in the preference centre (Sayso)';
const MOVED = 'The person has changed to another address (Sayso)';
const CARRIED = 'Carried over from the address that the person had before';

/** Written for a few days in November 2026. */
const REWORDED_CHOSEN = 'Chosen by the customer on the preference page (Sayso)';
const REWORDED_MOVED = 'The customer changed their email (Sayso)';
const MOVED_WORDS = [MOVED, REWORDED_MOVED];
const OUR_WORDS = [CHOSEN, REWORDED_CHOSEN, ...MOVED_WORDS];

/** So HubSpot names what came through its API. It does not always tell the explanation that came along. */
const BY_API = /^Public status API\b/;

/** Of an account without further brands there is only this one. */
const ACCOUNT_BRAND = 0;

const timestamp = z.union([z.string(), z.number()]).optional();

export const typeStatus = z.object({
  subscriptionId: anId,
  status: z.enum(['SUBSCRIBED', 'UNSUBSCRIBED', 'NOT_SPECIFIED']),
  timestamp,
  source: z.string().nullish(),
  legalBasis: z.string().nullish(),
  legalBasisExplanation: z.string().nullish(),
  businessUnitId: z.number().nullish(),
});

export const wideStatus = z.object({
  wideStatusType: z.string(),
  status: z.string(),
  timestamp,
  businessUnitId: z.number().nullish(),
});

export type TypeStatus = z.infer<typeof typeStatus>;

export const isOut = ({ status }: TypeStatus) => status === 'UNSUBSCRIBED';

/** An opt-out without an explanation was made by the person, or by an app: by us, as far as can be known. */
export const isOurs = ({ legalBasisExplanation: text, source }: TypeStatus) =>
  OUR_WORDS.some((words) => text?.startsWith(words)) || (!text && BY_API.test(source ?? ''));

const isMoved = (row: TypeStatus) => isOut(row) && MOVED_WORDS.includes(row.legalBasisExplanation ?? '');

export const brandOf = ({ businessUnitId }: { businessUnitId?: number | null | undefined }) =>
  businessUnitId ?? ACCOUNT_BRAND;

const definition = z.object({
  id: anId,
  name: z.string(),
  description: z.string().nullish(),
  isActive: z.boolean(),
  isInternal: z.boolean().nullish(),
  businessUnitId: z.number().nullish(),
});

async function definitions(api: ToolApi): Promise<z.infer<typeof definition>[]> {
  const answer = await api.call({ method: 'GET', path: `${AT}/definitions` });
  return read(z.object({ results: z.array(definition) }), answer).results;
}

/** The brands of the account: each has its subscription types, and its own opt-out of everything. */
export async function brandsOf(api: ToolApi): Promise<number[]> {
  return [...new Set((await definitions(api)).map(brandOf))];
}

/** Without HubSpot's internal ones, such as "One to One": nobody chooses those on a page. */
export async function subscriptionTypes(api: ToolApi): Promise<Resource[]> {
  const all = await definitions(api);
  return all
    .filter(({ isActive, isInternal }) => isActive && isInternal !== true)
    .map(({ id, name, description, ...type }) => {
      const brand = brandOf(type);
      return {
        id,
        // Each brand may have a "Newsletter"; what the brand is called takes a scope of its own.
        name: brand === ACCOUNT_BRAND ? name : `${name} (brand ${brand})`,
        ...(description ? { description } : {}),
      };
    });
}

/** One for each type. */
export async function typeStatuses(api: ToolApi, email: string): Promise<TypeStatus[]> {
  const answer = await api.call({ method: 'GET', path: AT + path`/statuses/${email}`, query: EMAIL });
  return read(z.object({ results: z.array(typeStatus) }), answer).results;
}

/** Who left a brand may still be mailed by the others. */
export interface WideOptOuts {
  ofAccount: boolean;
  ofBrands: ReadonlySet<number>;
  since: string | number | undefined;
}

export async function wideOptOuts(api: ToolApi, email: string): Promise<WideOptOuts> {
  const answer = await api.call({
    method: 'GET',
    path: AT + path`/statuses/${email}/unsubscribe-all`,
    query: EMAIL,
  });
  return wideOptOutsIn(read(z.object({ results: z.array(wideStatus) }), answer).results);
}

export function wideOptOutsIn(results: readonly z.infer<typeof wideStatus>[]): WideOptOuts {
  // Nothing else is an opt-out, least of all NOT_SPECIFIED.
  const rows = results.filter(({ status }) => status === 'UNSUBSCRIBED');
  const isOfBrand = ({ wideStatusType }: z.infer<typeof wideStatus>) =>
    wideStatusType === 'BUSINESS_UNIT_WIDE';
  const ofAccount = rows.filter((row) => !isOfBrand(row));
  return {
    ofAccount: ofAccount.length > 0,
    ofBrands: new Set(rows.filter(isOfBrand).map(brandOf)),
    // Of several brands, the one that was left last has made it everything.
    since: newestOf(ofAccount.length > 0 ? ofAccount : rows),
  };
}

function newestOf(rows: readonly z.infer<typeof wideStatus>[]): string | number | undefined {
  const time = (row: z.infer<typeof wideStatus>) => dateOf(row.timestamp)?.getTime() ?? 0;
  return rows.toSorted((one, other) => time(other) - time(one))[0]?.timestamp;
}

export const hasLeft = ({ ofAccount, ofBrands }: WideOptOuts, brand: number) =>
  ofAccount || ofBrands.has(brand);

/**
 * @param mirror what the contact says of it: of the account's own brand, where there are others
 * @param readBrands asked only where they make a difference
 */
export async function isOutOfAll(
  optOuts: WideOptOuts,
  mirror: boolean,
  readBrands: () => Promise<number[]>,
): Promise<boolean> {
  if (optOuts.ofAccount) return true;
  if (!mirror && optOuts.ofBrands.size === 0) return false;
  const brands = await readBrands();
  return brands.length <= 1 || brands.every((brand) => optOuts.ofBrands.has(brand));
}

/** A status as it is written. */
function writtenAs({ subscriptionId, status, legalBasis, legalBasisExplanation }: TypeStatus) {
  return {
    ...EMAIL,
    statusState: status,
    // A number here, a text elsewhere.
    subscriptionId: Number(subscriptionId),
    // Demanded where the account's data privacy settings are on.
    legalBasis: legalBasis ?? 'CONSENT_WITH_NOTICE',
    legalBasisExplanation,
  };
}

/** HubSpot stores the consent as the explanation of a status. */
const chosen = (subscriptionId: string, status: TypeStatus['status'], consent?: Consent): TypeStatus => ({
  subscriptionId,
  status,
  legalBasisExplanation: `${CHOSEN} ${consentWords(consent)}`.trim(),
});

export const choiceOf = (...choice: Parameters<typeof chosen>) => writtenAs(chosen(...choice));

async function setStatus(api: ToolApi, email: string, status: TypeStatus): Promise<void> {
  await api.call({ method: 'POST', path: AT + path`/statuses/${email}`, json: writtenAs(status) });
}

async function leaveBrand(api: ToolApi, email: string, brand: number | undefined): Promise<void> {
  await api.call({
    method: 'POST',
    path: AT + path`/statuses/${email}/unsubscribe-all`,
    query: { ...EMAIL, businessUnitId: brand },
  });
}

/** An account with several brands has no opt-out of them all: each is left. */
export async function unsubscribeFromAll(api: ToolApi, email: string): Promise<void> {
  const optOuts = await wideOptOuts(api, email);
  if (optOuts.ofAccount) return;
  const brands = await brandsOf(api);
  for (const brand of brands.length === 0 ? [ACCOUNT_BRAND] : brands) {
    if (!hasLeft(optOuts, brand)) await leaveBrand(api, email, brands.length > 1 ? brand : undefined);
  }
}

export async function unsubscribe(api: ToolApi, email: string, subscriptionId: string): Promise<void> {
  const row = (await typeStatuses(api, email)).find((one) => one.subscriptionId === subscriptionId);
  if (row !== undefined && isOut(row)) return;
  await setStatus(api, email, chosen(subscriptionId, 'UNSUBSCRIBED'));
}

/** Out by what the person did in HubSpot: only they themselves can come back. */
export function isOptedOut(row: TypeStatus | undefined, optOuts: WideOptOuts): boolean {
  const leftThere = row !== undefined && isOut(row) && !isOurs(row);
  return hasLeft(optOuts, brandOf(row ?? {})) || leftThere;
}

interface Subscribing {
  email: string;
  target: Resource;
  consent?: Consent;
}

/** @param isKnown whether HubSpot has a contact with the address */
export async function subscribe(
  api: ToolApi,
  { email, target: { id: subscriptionId, name }, consent }: Subscribing,
  isKnown: () => Promise<boolean>,
): Promise<void> {
  const row = (await typeStatuses(api, email)).find((one) => one.subscriptionId === subscriptionId);
  const optOuts = await wideOptOuts(api, email);
  if (isOptedOut(row, optOuts)) {
    const leftBrand = hasLeft(optOuts, brandOf(row ?? {}));
    const what = !leftBrand ? `"${name}"` : optOuts.ofAccount ? 'all email' : 'all email of this brand';
    throw new ConnectorError(
      'refused',
      `In HubSpot, this person opted out of ${what}. Only they can resubscribe, on HubSpot's own preferences page.`,
    );
  }
  if (row?.status === 'SUBSCRIBED') return;
  if ((row === undefined || !isOut(row)) && !(await isKnown())) return;
  await setStatus(api, email, chosen(subscriptionId, 'SUBSCRIBED', consent));
}

/** What the new address has to get; undefined: it stays as it is. */
function carried(old: TypeStatus, there: TypeStatus | undefined): TypeStatus | undefined {
  // What only the change of another address has written there counts as nothing.
  const isFree = there === undefined || there.status === 'NOT_SPECIFIED' || isMoved(there);
  if (isMoved(old)) return undefined;
  if (isOut(old)) {
    const legalBasisExplanation = isOurs(old) ? CHOSEN : CARRIED;
    return there !== undefined && isOut(there) ? undefined : { ...old, legalBasisExplanation };
  }
  if (!isFree || there?.status === old.status) return undefined;
  if (there === undefined && old.status === 'NOT_SPECIFIED') return undefined;
  return { ...old, legalBasisExplanation: old.legalBasisExplanation ?? CARRIED };
}

/** Brings every opt-out and choice to the new address; where either is out, it is out. */
export async function carryOver(api: ToolApi, from: string, email: string): Promise<void> {
  const ofOld = await typeStatuses(api, from);
  const ofNew = await typeStatuses(api, email);
  const left = await wideOptOuts(api, from);
  const leftThere = await wideOptOuts(api, email);
  for (const old of ofOld) {
    const wanted = carried(
      old,
      ofNew.find(({ subscriptionId }) => subscriptionId === old.subscriptionId),
    );
    const brand = brandOf(old);
    const hasLeftBrand = hasLeft(left, brand) || hasLeft(leftThere, brand);
    if (wanted === undefined || (hasLeftBrand && !isOut(wanted))) continue;
    await setStatus(api, email, wanted);
  }
  if (left.ofAccount) return unsubscribeFromAll(api, email);
  for (const brand of left.ofBrands) {
    if (!hasLeft(leftThere, brand)) await leaveBrand(api, email, brand);
  }
}

/** Type by type, for an opt-out of everything could not be told from the person's own, nor be taken back. */
export async function unlinkEmail(api: ToolApi, from: string): Promise<void> {
  for (const { subscriptionId, ...row } of await typeStatuses(api, from)) {
    if (isOut({ subscriptionId, ...row })) continue;
    await setStatus(api, from, { subscriptionId, status: 'UNSUBSCRIBED', legalBasisExplanation: MOVED });
  }
}
