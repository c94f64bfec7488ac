// First: it configures zod before its first schema.
import '#web/owner/no-eval.ts';
import '@fontsource-variable/inter/wght.css';
import '#web/owner/owner.css';
import { createBrowserHistory, createRouter, type RegisteredRouter } from '@tanstack/react-router';
import { createRoot, type Root } from 'react-dom/client';
import { queryClient } from '#web/owner/api/query-client.ts';
import { watchReachability } from '#web/owner/api/reachability.ts';
import { App } from '#web/owner/App.tsx';
import { startI18n } from '#web/owner/i18n/i18n.ts';
import { router as real } from '#web/owner/router.tsx';

/* What a screen loads when it is opened is there before the first test: the first to open it would wait for Vite. */
import.meta.glob(['../../web/{owner,ui}/**/*.tsx', '!**/{main,*.test}.tsx'], { eager: true });

watchReachability();
await startI18n();

const { queries = {} } = queryClient.getDefaultOptions();
// As often as in the product, and without a wait between the tries.
queryClient.setDefaultOptions({ queries: { ...queries, retryDelay: 0 } });

export const routes = Object.values(real.routesById);

let shown: { root: Root; element: HTMLElement; router: RegisteredRouter } | null = null;

/** Loads the app at a path, as a browser does: nothing of what was shown before is left but what the browser stores. */
export async function openApp(path: string): Promise<void> {
  closeApp();
  history.replaceState(null, '', path);
  const router = createRouter({ ...real.options, history: createBrowserHistory() });
  const element = document.createElement('div');
  document.body.append(element);
  shown = { root: createRoot(element), element, router };
  shown.root.render(<App router={router} queryClient={queryClient} />);
}

/** As a link of the app does it. */
export async function navigateTo(href: string): Promise<void> {
  await shown?.router.navigate({ href });
}

export function closeApp(): void {
  shown?.root.unmount();
  shown?.element.remove();
  shown = null;
  queryClient.clear();
}

/** Nothing is on its way to the screen. */
export const isSettled = () => queryClient.isFetching() === 0 && shown?.router.state.status === 'idle';
