import { z } from 'zod';
import { keyOf } from '../batches.ts';
import type { Consent, ToolApi, ToolCall } from '../connector.ts';
import { read } from './answers.ts';
import {
  AT,
  choiceOf,
  EMAIL,
  type TypeStatus,
  typeStatus,
  type WideOptOuts,
  wideOptOutsIn,
  wideStatus,
} from './subscriptions.ts';

/*
 * The statuses of many addresses. HubSpot offers these calls only with Marketing Hub Enterprise (section 2): elsewhere
 * each of these functions tells of nobody.
 */

/** Others send 100; HubSpot names no number, and most accounts go through them one by one. */
export const STATUSES_PER_CALL = 50;

/** A plan, or the scopes of a key, may change. */
const LOOK_AGAIN_AFTER_MS = 24 * 3_600_000;

/** Until when accounts are not asked again. */
const without = new WeakMap<object, number>();

async function callForMany<T>(
  api: ToolApi,
  row: z.ZodType<T>,
  call: Pick<ToolCall, 'path' | 'query'> & { inputs: readonly unknown[] },
): Promise<T[]> {
  const { inputs, ...where } = call;
  const now = api.now().getTime();
  if (inputs.length === 0 || (without.get(api.cacheKey) ?? 0) > now) return [];
  const answer = await api.call({ method: 'POST', ...where, json: { inputs }, expects: [403] });
  if (answer.status !== 403) return read(z.object({ results: z.array(row) }), answer).results;
  without.set(api.cacheKey, now + LOOK_AGAIN_AFTER_MS);
  return [];
}

interface Wanted {
  subscriptionId: string;
  status: TypeStatus['status'];
  consentOf?: (email: string) => Consent | undefined;
}

const ofAddress = { subscriberIdString: z.string() };

export async function typeStatusesOfMany(
  api: ToolApi,
  emails: readonly string[],
): Promise<Map<string, TypeStatus[]>> {
  const row = z.object({ ...ofAddress, statuses: z.array(typeStatus) });
  const call = { path: `${AT}/statuses/batch/read`, query: EMAIL, inputs: emails };
  const rows = await callForMany(api, row, call);
  return new Map(rows.map(({ subscriberIdString: email, statuses }) => [keyOf(email), statuses]));
}

export async function wideOptOutsOfMany(
  api: ToolApi,
  emails: readonly string[],
): Promise<Map<string, WideOptOuts>> {
  const row = z.object({ ...ofAddress, wideStatuses: z.array(wideStatus) });
  const call = { path: `${AT}/statuses/batch/unsubscribe-all/read`, query: EMAIL, inputs: emails };
  const rows = await callForMany(api, row, call);
  return new Map(
    rows.map(({ subscriberIdString: email, wideStatuses }) => [keyOf(email), wideOptOutsIn(wideStatuses)]),
  );
}

/**
 * @param wanted.consentOf what is known of the consent of the person with this address
 * @returns who has the status now
 */
export async function setStatusOfMany(
  api: ToolApi,
  emails: readonly string[],
  { subscriptionId, status, consentOf }: Wanted,
): Promise<string[]> {
  const inputs = emails.map((email) => ({
    subscriberIdString: email,
    ...choiceOf(subscriptionId, status, consentOf?.(email)),
  }));
  const row = z.object({ ...ofAddress, status: z.string() });
  const rows = await callForMany(api, row, { path: `${AT}/statuses/batch/write`, inputs });
  return rows.filter((one) => one.status === status).map((one) => one.subscriberIdString);
}

/** In an account of one brand. @returns who is out now */
export async function unsubscribeManyFromAll(api: ToolApi, emails: readonly string[]): Promise<string[]> {
  const call = { path: `${AT}/statuses/batch/unsubscribe-all`, query: EMAIL, inputs: emails };
  const rows = await callForMany(api, z.object(ofAddress), call);
  return rows.map((one) => one.subscriberIdString);
}
