import { vi } from 'vitest';
import { actionsOf } from '#server/delivery/actions/actions.ts';
import { updateDelivery } from '#server/delivery/deliveries/deliveries.sql.ts';
import {
  type LeasedDelivery,
  receiverOf,
  startDeliveryWorker,
} from '#server/delivery/deliveries/delivery-queue.ts';
import { DELIVERIES } from '#server/delivery/sending/deliveries.jobs.ts';
import type { Running } from '#server/platform/background-task.ts';
import type { TestProduct } from './product.ts';

/** Workers of products that were started without one; each ends with `stopAll`, if not before. */
export interface DeliveryWorkers {
  /** One as it is, which makes real calls. */
  answering(product: TestProduct): Running;
  /** One of which the test says when a delivery is done. */
  holding(product: TestProduct): Holding;
  stopAll(): Promise<void>;
}

export interface Holding {
  worker: Running;
  /** All that it was given, in this order. */
  given: LeasedDelivery[];
  /** How often it has looked for what is due. */
  looks(): number;
  /** From now on what it has, and what it gets, is done at once. */
  letGo(): void;
}

export function createDeliveryWorkers(): DeliveryWorkers {
  const stops: (() => Promise<void>)[] = [];

  function kept(worker: Running): Running {
    let stopping: Promise<void> | null = null;
    const stop = () => (stopping ??= worker.stop());
    stops.push(stop);
    return { stop };
  }

  function holding({ services }: TestProduct): Holding {
    const given: LeasedDelivery[] = [];
    const gates: (() => void)[] = [];
    let isOpen = false;
    let looks = 0;
    function letGo(): void {
      isOpen = true;
      for (const open of gates.splice(0)) open();
    }
    stops.push(async () => letGo());
    const worker = startDeliveryWorker(services, {
      async deliver(deliveries) {
        given.push(...deliveries);
        if (!isOpen) await new Promise<void>((resolve) => gates.push(resolve));
        for (const { siteId, row } of deliveries) {
          await services.database.inSite(siteId, (site) =>
            updateDelivery(site, row.delivery_id, { status: 'arrived', next_attempt_at: null }),
          );
        }
        return 'answered';
      },
      receiversOf: async (siteId) => {
        looks += 1;
        return new Map((await actionsOf(services, siteId)).map((action) => [action.id, receiverOf(action)]));
      },
    });
    return { worker: kept(worker), given, looks: () => looks, letGo };
  }

  return {
    answering: ({ services }) => kept(DELIVERIES.start(services)),
    holding,
    async stopAll() {
      for (const stop of stops.splice(0)) await stop();
    },
  };
}

interface Due {
  id: string;
  at: Date | null;
}

/** When each delivery of a site is due; null: it is done. */
export async function dueOf({ testDatabase }: TestProduct, siteId: string): Promise<Due[]> {
  const { rows } = await testDatabase.owner.query<Due>(
    'select id, next_attempt_at as at from deliveries where site_id = $1 order by id',
    [siteId],
  );
  return rows;
}

/** What comes by then didn't come because a lease (22 s) ended. */
export const SOONER_THAN_A_LEASE_ENDS_MS = 20_000;

/** Resolves when nothing of a site is to be done. */
export async function untilDone(
  product: TestProduct,
  siteId: string,
  timeout = SOONER_THAN_A_LEASE_ENDS_MS,
): Promise<void> {
  const isDone = async () => {
    const { rows } = await product.testDatabase.owner.query<{ done: boolean }>(
      'select not exists (select from deliveries where site_id = $1 and next_attempt_at is not null) as done',
      [siteId],
    );
    return rows[0]?.done === true;
  };
  await vi.waitUntil(isDone, { timeout, interval: 50 });
}
