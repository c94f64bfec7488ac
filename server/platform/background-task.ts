import type { Services } from './services.ts';

/** Work that a process does outside requests. */
export interface BackgroundTask {
  name: string;
  start(services: Services): Running | Promise<Running>;
}

export interface Running {
  /** Starts no more work, and finishes the current one. */
  stop(): Promise<void>;
}

/**
 * Starts tasks one by one, in this order.
 * @returns a handle that stops them in reverse order, and waits for all of them
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
