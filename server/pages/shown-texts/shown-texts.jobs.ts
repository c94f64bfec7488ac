import type { BackgroundTask } from '#server/platform/background-task.ts';
import { startIntervalWorker } from '#server/platform/interval-worker.ts';
import { storeNotedTexts } from './shown-texts.ts';

const STORE_EVERY_MS = 1000;

/**
 * Showing a page writes nothing. What it showed is stored a moment later, so that no record names a text that is nowhere:
 * after an upgrade, or while two versions of Sayso serve the same pages, the words differ from those at publication.
 */
export const SHOWN_TEXTS: BackgroundTask = {
  name: 'shown-texts',
  start(services) {
    const worker = startIntervalWorker('shown-texts', STORE_EVERY_MS, services.log, () =>
      storeNotedTexts(services),
    );
    return {
      async stop() {
        await worker.stop();
        // Its words may differ from those of the process that comes after it.
        await storeNotedTexts(services).catch((error: unknown) =>
          services.log.warn({ err: error }, 'the texts that pages showed could not be stored'),
        );
      },
    };
  },
};
