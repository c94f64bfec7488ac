import {
  createContext,
  useCallback,
  useContext,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from 'react';
import type { Language } from '#contract/fields.ts';
import { localService } from './local-service.ts';
import type { PageService } from './service.ts';
import { fill, type TextKey, type Texts } from './texts.ts';
import type { PageView } from './view.ts';

type Given = {
  view: PageView;
  texts: Texts;
  service: PageService;
  /** Where languages are changed without a request: the owner's preview. */
  onLanguage?: ((language: Language) => void) | undefined;
};

type PageContextValue = Given & {
  /** True once what a `state=` link asked for is done: nothing may ask for it again. */
  isLinkSettled: boolean;
  settleLink: () => void;
};

const PageContext = createContext<PageContextValue | null>(null);

export function PageProvider({
  view,
  texts,
  service = localService,
  onLanguage,
  children,
}: Omit<Given, 'service'> & { service?: PageService | undefined; children: ReactNode }) {
  const [isLinkSettled, setIsLinkSettled] = useState(false);
  const settleLink = useCallback(() => setIsLinkSettled(true), []);
  const value = { view, texts, service, onLanguage, isLinkSettled, settleLink };
  return <PageContext value={value}>{children}</PageContext>;
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
