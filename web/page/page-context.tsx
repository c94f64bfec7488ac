import { createContext, useContext, useSyncExternalStore, type ReactNode } from 'react';
import { localService } from './local-service.ts';
import type { PageService } from './service.ts';
import { fill, type TextKey, type Texts } from './texts.ts';
import type { PageView } from './view.ts';

type PageContextValue = { view: PageView; texts: Texts; service: PageService };

const PageContext = createContext<PageContextValue | null>(null);

export function PageProvider({
  view,
  texts,
  service = localService,
  children,
}: Omit<PageContextValue, 'service'> & { service?: PageService | undefined; children: ReactNode }) {
  return <PageContext value={{ view, texts, service }}>{children}</PageContext>;
}

export type Translate = (key: TextKey, values?: Readonly<Record<string, string>>) => string;

/** What every part of the page draws from. */
export function usePage(): PageContextValue & { t: Translate } {
  const page = useContext(PageContext);
  if (!page) throw new Error('A part of the page was rendered outside PreferencePage.');
  return { ...page, t: (key, values = {}) => fill(page.texts[key], values) };
}

const subscribeToNothing = () => () => {};

/** False in the server's HTML, which has to work without JavaScript; true once this runs in a browser. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    subscribeToNothing,
    () => true,
    () => false,
  );
}
