import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from 'react';
import type { Language } from '#contract/fields.ts';
import type * as parts from './parts.ts';
import { otherPerson } from './identity.ts';
import type { Identity, PageService } from './service.ts';
import { fill, type TextKey, type Texts } from './texts.ts';
import type { PageQuery, PageView, ViewCustomer } from './view.ts';

export type Parts = typeof parts;

type Given = {
  view: PageView;
  texts: Texts;
  service: PageService;
  /** Or how to load them, once the page is usable. */
  parts: Parts | (() => Promise<Parts>);
  /** For changing the language without a request, in the owner's preview. */
  onLanguage?: ((language: Language) => void) | undefined;
};

type PageContextValue = Omit<Given, 'parts'> & {
  /** null until they are loaded, and for good where they cannot be. */
  parts: Parts | null;
  /** True once a `state=` link was applied: it must not be applied again. */
  isLinkSettled: boolean;
  settleLink: () => void;
  /** The shown identity, as far as this browser knows it; null if only the server does. */
  who: Identity | null;
  /** The address of the link, if the challenge belongs to somebody else: its choice then needs a click. */
  other: string | null;
  showPerson: (who: Identity, customer: ViewCustomer) => void;
};

const PageContext = createContext<PageContextValue | null>(null);

export function PageProvider({
  view,
  texts,
  service,
  parts: given,
  onLanguage,
  identity = null,
  children,
}: Given & {
  identity?: Identity | null;
  children: ReactNode;
}) {
  const [isLinkSettled, setIsLinkSettled] = useState(false);
  const settleLink = useCallback(() => setIsLinkSettled(true), []);
  const parts = useParts(given);
  const [who, setWho] = useState(identity);
  const [other, setOther] = useState(() => otherPerson(view.query, who, view.customer));
  const showPerson = useCallback(
    (next: Identity, customer: ViewCustomer) => {
      setWho(next);
      setOther(otherPerson(view.query, next, customer));
    },
    [view.query],
  );
  const value = {
    view,
    texts,
    service,
    parts,
    onLanguage,
    isLinkSettled,
    settleLink,
    who,
    other,
    showPerson,
  };
  return <PageContext value={value}>{children}</PageContext>;
}

function useParts(given: Given['parts']): Parts | null {
  const [parts, setParts] = useState(typeof given === 'function' ? null : given);
  useEffect(() => {
    if (typeof given === 'function') given().then(setParts, () => {});
  }, [given]);
  return parts;
}

export type Translate = (key: TextKey, values?: Readonly<Record<string, string>>) => string;

/** The context of all parts of the page. */
export function usePage(): PageContextValue & { t: Translate } {
  const page = useContext(PageContext);
  if (!page) throw new Error('A part of the page was rendered outside PreferencePage.');
  return { ...page, t: (key, values = {}) => fill(page.texts[key], values) };
}

/** The query that shows the same page to the same person. */
export function useAddressQuery(): PageQuery {
  const { view, isLinkSettled, who, other } = usePage();
  const hydrated = useHydrated();
  const link = isLinkSettled ? { state: null, listId: null } : {};
  if (!hydrated || who === null) return { ...view.query, ...link };
  return 'challenge' in who
    ? { ...view.query, ...link, challenge: who.challenge, email: other }
    : { ...view.query, ...link, challenge: null };
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
