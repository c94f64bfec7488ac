import { lineOf } from '#server/features/integrations/tool-line.ts';
import type { Job } from '#server/platform/queue.ts';
import type { Services } from '#server/platform/services.ts';
import type { Seen, Work } from './carried.ts';
import { updateDeliveryInRound } from './deliveries.sql.ts';
import { nextLookSeconds } from './looks.ts';
import { outcomeSeen } from './outcomes.ts';
import { comeAgain, type Intention, intentionOf, seenIn } from './tool-delivery.ts';

/*
 * A tool that took a change may show it only later, or may have had no call left for the question. The delivery has
 * arrived; looking again is what confirms it.
 */

/** One look. Nothing is changed in the tool. */
export async function lookAgain(services: Services, job: Job, work: Work): Promise<void> {
  const intention = await intentionOf(services, job.site_id, work);
  if (typeof intention === 'string') return keep(services, job, { outcome: intention });
  // What it was about has changed since: a later delivery tells of that.
  if (intention.changes.length === 0) return keep(services, job, { outcome: 'overtaken' });
  const seen =
    intention.integration.status === 'connected' ? await lookNow(services, intention) : 'not_asked';
  if (typeof seen === 'number') return lookIn(services, job, seen, job.look ?? 0);
  const looks = (job.look ?? 0) + 1;
  await keep(services, job, {
    outcome: outcomeSeen(seen, looks),
    ...(seen === 'there' ? { confirmed_at: services.clock.now() } : {}),
  });
  const seconds = nextLookSeconds(seen, looks);
  if (seconds !== null) await lookIn(services, job, seconds, looks);
}

/** A number: there was no room for a call, come again in so many seconds. */
async function lookNow(
  services: Services,
  { integration, connector, changes }: Intention,
): Promise<Seen | number> {
  let calls = 0;
  const { line } = lineOf(services, connector, integration, {
    purpose: 'delivery',
    onCall: () => {
      calls += 1;
    },
  });
  const seen = await seenIn(connector, line, changes, true);
  if (seen !== 'not_asked' || calls > 0) return seen;
  const again = await comeAgain(services, integration, connector);
  return again.kind === 'postponed' ? again.seconds : seen;
}

async function lookIn(
  services: Services,
  { site_id, id, round }: Job,
  seconds: number,
  look: number,
): Promise<void> {
  const startAfter = new Date(services.clock.now().getTime() + seconds * 1000);
  await services.database.inSite(site_id, (site) =>
    services.queue.enqueue(site, 'deliveries', [{ id, round, look, startAfter }]),
  );
}

async function keep(
  services: Services,
  { site_id, id, round }: Job,
  told: Parameters<typeof updateDeliveryInRound>[3],
): Promise<void> {
  await services.database.inSite(site_id, (site) =>
    site.commitWith([updateDeliveryInRound(site, id, round, told)]),
  );
}
