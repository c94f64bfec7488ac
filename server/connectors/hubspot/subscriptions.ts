import { z } from 'zod';
import { ConnectorError, path, type Resource, type ToolApi } from '../connector.ts';
import { anId, read, VERSION } from './answers.ts';

/*
 * What may be mailed belongs to the address in HubSpot, not to the contact: it is there without one, and does not move
 * with one.
 */

const AT = `/communication-preferences/${VERSION}`;
const EMAIL = { channel: 'EMAIL' };

/** Kept by HubSpot beside each status: tells what was chosen through us from what the person did in HubSpot. */
const CHOSEN = 'Chosen by the person in the preference centre (Sayso)';
const MOVED = 'The person has changed to another address (Sayso)';
const CARRIED = 'Carried over from the address that the person had before';

const timestamp = z.union([z.string(), z.number()]).optional();

const typeStatus = z.object({
  subscriptionId: anId,
  status: z.enum(['SUBSCRIBED', 'UNSUBSCRIBED', 'NOT_SPECIFIED']),
  timestamp,
  legalBasis: z.string().nullish(),
  legalBasisExplanation: z.string().nullish(),
});

const wideStatus = z.object({ status: z.string(), timestamp });

type TypeStatus = z.infer<typeof typeStatus>;
type WideStatus = z.infer<typeof wideStatus>;

export const isOut = ({ status }: TypeStatus) => status === 'UNSUBSCRIBED';

export const isOurs = ({ legalBasisExplanation: text }: TypeStatus) => text === CHOSEN || text === MOVED;

const isMoved = (row: TypeStatus) => isOut(row) && row.legalBasisExplanation === MOVED;

export async function subscriptionTypes(api: ToolApi): Promise<Resource[]> {
  const answer = await api.call({ method: 'GET', path: `${AT}/definitions` });
  const definition = z.object({ id: anId, name: z.string(), isActive: z.boolean() });
  return read(z.object({ results: z.array(definition) }), answer)
    .results.filter(({ isActive }) => isActive)
    .map(({ id, name }) => ({ id, name }));
}

/** One for each type. */
export async function typeStatuses(api: ToolApi, email: string): Promise<TypeStatus[]> {
  const answer = await api.call({ method: 'GET', path: AT + path`/statuses/${email}`, query: EMAIL });
  return read(z.object({ results: z.array(typeStatus) }), answer).results;
}

/** The opt-outs of everything; none: the person may be mailed. */
export async function wideOptOuts(api: ToolApi, email: string): Promise<WideStatus[]> {
  const answer = await api.call({
    method: 'GET',
    path: AT + path`/statuses/${email}/unsubscribe-all`,
    query: EMAIL,
  });
  const { results } = read(z.object({ results: z.array(wideStatus) }), answer);
  return results.filter(({ status }) => status !== 'SUBSCRIBED');
}

async function setStatus(
  api: ToolApi,
  email: string,
  { subscriptionId, status, legalBasis, legalBasisExplanation }: TypeStatus,
): Promise<void> {
  await api.call({
    method: 'POST',
    path: AT + path`/statuses/${email}`,
    json: {
      ...EMAIL,
      statusState: status,
      // A number here, a text elsewhere.
      subscriptionId: Number(subscriptionId),
      // Demanded where the account's data privacy settings are on.
      legalBasis: legalBasis ?? 'CONSENT_WITH_NOTICE',
      legalBasisExplanation,
    },
  });
}

export async function unsubscribeFromAll(api: ToolApi, email: string): Promise<void> {
  if ((await wideOptOuts(api, email)).length > 0) return;
  await api.call({
    method: 'POST',
    path: AT + path`/statuses/${email}/unsubscribe-all`,
    query: EMAIL,
  });
}

export async function unsubscribe(api: ToolApi, email: string, subscriptionId: string): Promise<void> {
  const row = (await typeStatuses(api, email)).find((one) => one.subscriptionId === subscriptionId);
  if (row !== undefined && isOut(row)) return;
  await setStatus(api, email, { subscriptionId, status: 'UNSUBSCRIBED', legalBasisExplanation: CHOSEN });
}

/** @param isKnown whether HubSpot has a contact with the address */
export async function subscribe(
  api: ToolApi,
  email: string,
  { id: subscriptionId, name }: Resource,
  isKnown: () => Promise<boolean>,
): Promise<void> {
  const row = (await typeStatuses(api, email)).find((one) => one.subscriptionId === subscriptionId);
  const isOutOfAll = (await wideOptOuts(api, email)).length > 0;
  const leftThere = row !== undefined && isOut(row) && !isOurs(row);
  if (isOutOfAll || leftThere) {
    const what = isOutOfAll ? 'all email' : `"${name}"`;
    throw new ConnectorError(
      'refused',
      `In HubSpot this person has opted out of ${what}. Only they themselves can come back, through HubSpot's own preferences page.`,
    );
  }
  if (row?.status === 'SUBSCRIBED') return;
  if ((row === undefined || !isOut(row)) && !(await isKnown())) return;
  await setStatus(api, email, { subscriptionId, status: 'SUBSCRIBED', legalBasisExplanation: CHOSEN });
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
  const isOldOut = (await wideOptOuts(api, from)).length > 0;
  const isOutOfAll = isOldOut || (await wideOptOuts(api, email)).length > 0;
  for (const old of ofOld) {
    const wanted = carried(
      old,
      ofNew.find(({ subscriptionId }) => subscriptionId === old.subscriptionId),
    );
    if (wanted === undefined || (isOutOfAll && !isOut(wanted))) continue;
    await setStatus(api, email, wanted);
  }
  if (isOldOut) await unsubscribeFromAll(api, email);
}

/** Type by type, for an opt-out of everything could not be told from the person's own, nor be taken back. */
export async function cutOff(api: ToolApi, from: string): Promise<void> {
  for (const { subscriptionId, ...row } of await typeStatuses(api, from)) {
    if (isOut({ subscriptionId, ...row })) continue;
    await setStatus(api, from, { subscriptionId, status: 'UNSUBSCRIBED', legalBasisExplanation: MOVED });
  }
}
