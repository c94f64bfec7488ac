import { queryOptions, useQuery } from '@tanstack/react-query';
import type { RouteCall, RouteResponse } from '#contract/route.ts';
import {
  addPasskey,
  addTotp,
  type AddedFactor,
  createRecoveryCodes,
  finishLogIn,
  listSecondFactors,
  type PasskeyAttestation,
  reauthenticate,
  removePasskey,
  removeTotp,
  renamePasskey,
  type SecondFactors,
  startPasskey,
  startReauthentication,
  startTotp,
} from '#contract/second-factors.ts';
import { requireSecondFactor } from '#contract/second-factor-rule.ts';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { AS_THIS_BROWSER, openSession } from '../auth/auth.api.ts';

function factorsQuery(id: string) {
  return queryOptions({
    queryKey: ['second-factors', id],
    queryFn: ({ signal }) => call(listSecondFactors, { params: { id } }, { signal }),
  });
}

export function useSecondFactors(id: string) {
  return useQuery(factorsQuery(id));
}

function cacheFactors(id: string, factors: SecondFactors): void {
  queryClient.setQueryData(factorsQuery(id).queryKey, factors);
}

export function finishWith(body: RouteCall<typeof finishLogIn>['body']): Promise<void> {
  return openSession(call(finishLogIn, { body }, AS_THIS_BROWSER));
}

export type TotpStart = RouteResponse<typeof startTotp>;
export type PasskeyStart = RouteResponse<typeof startPasskey>;

export function startTotpOf(id: string): Promise<TotpStart> {
  return call(startTotp, { params: { id } });
}

export async function addTotpOf(id: string, body: { setup: string; code: string }): Promise<AddedFactor> {
  const added = await call(addTotp, { params: { id }, body });
  cacheFactors(id, added.second_factors);
  return added;
}

export async function removeTotpOf(id: string): Promise<void> {
  cacheFactors(id, await call(removeTotp, { params: { id } }));
}

export function startPasskeyOf(id: string): Promise<PasskeyStart> {
  return call(startPasskey, { params: { id } });
}

export async function addPasskeyOf(
  id: string,
  body: { setup: string; name: string; attestation: PasskeyAttestation },
): Promise<AddedFactor> {
  const added = await call(addPasskey, { params: { id }, body });
  cacheFactors(id, added.second_factors);
  return added;
}

export async function renamePasskeyOf(id: string, passkeyId: string, name: string): Promise<void> {
  cacheFactors(id, await call(renamePasskey, { params: { id, passkey_id: passkeyId }, body: { name } }));
}

export async function removePasskeyOf(id: string, passkeyId: string): Promise<void> {
  cacheFactors(id, await call(removePasskey, { params: { id, passkey_id: passkeyId } }));
}

export async function newCodesOf(id: string): Promise<string[]> {
  const made = await call(createRecoveryCodes, { params: { id } });
  cacheFactors(id, made.second_factors);
  return made.recovery_codes;
}

export type ReauthenticationStart = RouteResponse<typeof startReauthentication>;

export function startReauthenticationOf(id: string): Promise<ReauthenticationStart> {
  return call(startReauthentication, { params: { id } });
}

export function reauthenticateAs(
  id: string,
  body: RouteCall<typeof reauthenticate>['body'],
): Promise<unknown> {
  return call(reauthenticate, { params: { id }, body });
}

export async function setRule(organizationId: string, required: boolean): Promise<void> {
  await call(requireSecondFactor, { params: { id: organizationId }, body: { required } });
  await queryClient.invalidateQueries({ queryKey: ['organization', organizationId] });
  await queryClient.invalidateQueries({ queryKey: ['second-factors'] });
}
