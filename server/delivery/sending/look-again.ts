import type { Seen, Work } from '#server/delivery/deliveries/carried.ts';
import { nextLookSeconds } from '#server/delivery/deliveries/looks.ts';
import { outcomeSeen } from '#server/delivery/deliveries/outcomes.ts';
import { reschedule, settle } from '#server/delivery/deliveries/settle.ts';
import type { Services } from '#server/platform/services.ts';
import { toolClientFor } from '#server/tools/clients/tool-client.ts';
import { comeAgain, type Intention, intentionOf, seenIn } from './tool-delivery.ts';

/*
 * A tool that took a change may show it only later, or may have had no call left for the question. The delivery has
 * arrived; looking again is what confirms it.
 */

/**
 * One look. Nothing is changed in the tool.
 * @param looked how often it was looked at before
 */
export async function lookAgain(services: Services, work: Work, looked: number): Promise<void> {
  const intention = await intentionOf(services, work);
  if (typeof intention === 'string') return settle(services, work, { outcome: intention });
  // What it was about has changed since: a later delivery tells of that.
  if (intention.changes.length === 0) return settle(services, work, { outcome: 'overtaken' });
  const seen =
    intention.integration.status === 'connected' ? await lookNow(services, intention) : 'not_asked';
  if (typeof seen === 'number') return reschedule(services, work, seen);
  const looks = looked + 1;
  const told = {
    outcome: outcomeSeen(seen, looks),
    looks,
    ...(seen === 'there' ? { confirmed_at: services.clock.now() } : {}),
  };
  const seconds = nextLookSeconds(seen, looks);
  if (seconds === null) await settle(services, work, told);
  else await reschedule(services, work, seconds, told);
}

/** A number: there was no room for a call, come again in so many seconds. */
async function lookNow(
  services: Services,
  { integration, connector, changes }: Intention,
): Promise<Seen | number> {
  let calls = 0;
  const { api } = toolClientFor(services, connector, integration, {
    purpose: 'delivery',
    onCall: () => {
      calls += 1;
    },
  });
  const seen = await seenIn(connector, api, changes, true);
  if (seen !== 'not_asked' || calls > 0) return seen;
  const again = await comeAgain(services, integration, connector);
  return again.kind === 'postponed' ? again.seconds : seen;
}
