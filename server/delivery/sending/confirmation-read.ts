import type { Confirmation, Work } from '#server/delivery/deliveries/attempt-result.ts';
import { nextConfirmationSeconds } from '#server/delivery/deliveries/confirmation-schedule.ts';
import { outcomeOfConfirmation } from '#server/delivery/deliveries/outcomes.ts';
import { reschedule, settle } from '#server/delivery/deliveries/settle.ts';
import type { Services } from '#server/platform/services.ts';
import { toolClientFor } from '#server/tools/clients/tool-client.ts';
import { postponeToNextSlot, type DesiredState, desiredStateOf, readConfirmation } from './tool-delivery.ts';

/*
 * Confirmation reads. A tool may show an accepted change only later, or may have had no call left to read it back.
 * The delivery has arrived; a later read confirms it.
 */

/**
 * Makes one confirmation read. Changes nothing in the tool.
 * @param looked number of reads made before
 */
export async function confirmDelivery(services: Services, work: Work, looked: number): Promise<void> {
  const desired = await desiredStateOf(services, work);
  // It was sent before its customer became a test customer.
  if (desired === 'test') return settle(services, work, { outcome: 'accepted' });
  if (typeof desired === 'string') return settle(services, work, { outcome: desired });
  // The customer has chosen otherwise since; a later delivery covers it.
  if (desired.changes.length === 0) return settle(services, work, { outcome: 'overtaken' });
  const seen =
    desired.integration.status === 'connected' ? await readOrPostpone(services, desired) : 'not_asked';
  if (typeof seen === 'number') return reschedule(services, work, seen);
  const looks = looked + 1;
  const told = {
    outcome: outcomeOfConfirmation(seen, looks),
    confirmation_reads: looks,
    ...(seen === 'there' ? { confirmed_at: services.clock.now() } : {}),
  };
  const seconds = nextConfirmationSeconds(seen, looks);
  if (seconds === null) await settle(services, work, told);
  else await reschedule(services, work, seconds, told);
}

/** A number means that no call was possible: retry after so many seconds. */
async function readOrPostpone(
  services: Services,
  { integration, connector, changes, isForMore }: DesiredState,
): Promise<Confirmation | number> {
  let calls = 0;
  const { api } = toolClientFor(services, connector, integration, {
    purpose: 'delivery',
    onCall: () => {
      calls += 1;
    },
  });
  const confirmation = await readConfirmation(connector, api, changes, { hasWritten: true, isForMore });
  if (confirmation !== 'not_asked' || calls > 0) return confirmation;
  const again = await postponeToNextSlot(services, integration, connector);
  return again.kind === 'postponed' ? again.seconds : confirmation;
}
