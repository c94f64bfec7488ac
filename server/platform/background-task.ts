import type { Services } from './services.ts';

/** Work that a process does without being asked by a request. */
export interface BackgroundTask {
  name: string;
  start(services: Services): Running | Promise<Running>;
}

export interface Running {
  /** Starts nothing more, and ends what is in hand. */
  stop(): Promise<void>;
}

/**
 * Starts tasks one after the other, in this order.
 * @returns what stops them, the last one first; it waits for all of them together
 */
export async function startTasks(services: Services, tasks: readonly BackgroundTask[]): Promise<Running> {
  const running: Running[] = [];
  for (const task of tasks) running.unshift(await task.start(services));
  return {
    async stop() {
      await Promise.all(running.map((one) => one.stop()));
    },
  };
}
