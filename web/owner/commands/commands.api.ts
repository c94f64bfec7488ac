import { useQuery } from '@tanstack/react-query';
import type { HandbookSection } from '#contract/handbook.ts';
import { createSearch } from '#web/handbook/search.logic.ts';
import { useDebounced } from '../components/use-debounced.ts';
import { actionsQuery } from '../queries/action-queries.ts';
import { customerSearchQuery } from '../queries/customer-search.ts';
import { listsQuery } from '../queries/list-queries.ts';
import { pagesQuery } from '../screens/preference-pages/pages.api.ts';
import { useSite } from '../site/current-site.tsx';

const FOUND_AT_MOST = 5;
const MIN_LETTERS = 2;

/** Customers and the handbook are searched once typing has paused this long. */
const SEARCH_AFTER_MS = 200;

function searchOf(typed: string): string {
  return typed.trim().toLowerCase();
}

/** The search of the handbook, whose index is loaded once something is typed. */
async function loadHandbookSearch({ signal }: { signal: AbortSignal }) {
  const answer = await fetch('/docs/search.json', { signal });
  if (!answer.ok) throw new Error(`The index of the handbook answers ${answer.status}`);
  return createSearch((await answer.json()) as HandbookSection[]);
}

/**
 * What the palette finds on the site and in the handbook. Until the answer to what is typed has come, customers of the answer
 * before stay if they match it: a row that somebody is about to open doesn't go and come back.
 */
export function useCommandSearch(typed: string) {
  const site = useSite();
  const lists = useQuery(listsQuery(site));
  const pages = useQuery(pagesQuery(site));
  const actions = useQuery(actionsQuery(site));
  const wanted = searchOf(typed);
  const search = searchOf(useDebounced(typed, SEARCH_AFTER_MS));
  const customers = useQuery({
    ...customerSearchQuery(site, search, FOUND_AT_MOST),
    enabled: search.length >= MIN_LETTERS,
  });
  const handbook = useQuery({
    queryKey: ['handbook-search'],
    queryFn: loadHandbookSearch,
    enabled: search.length >= MIN_LETTERS,
    staleTime: Infinity,
  });
  const all = [lists, pages, actions, customers, handbook];
  const isAsked = wanted.length >= MIN_LETTERS;
  const isAnswered = search === wanted && !(customers.isFetching && customers.isPlaceholderData);
  const matches = ({ email }: { email: string }) => isAnswered || email.toLowerCase().includes(wanted);
  // Rows that came first would stay marked when better ones are added above them, and Enter would open them.
  const hasHandbook = isAsked && isAnswered && !customers.isFetching;
  return {
    lists: lists.data ?? [],
    pages: pages.data ?? [],
    actions: actions.data ?? [],
    customers: isAsked ? (customers.data?.results ?? []).filter(matches) : [],
    /** The search that finds the customers beyond these. */
    searchForMore: isAsked && isAnswered && typeof customers.data?.next === 'string' ? search : null,
    handbook: hasHandbook ? (handbook.data?.(search, FOUND_AT_MOST) ?? []) : [],
    isSearching: (isAsked && !isAnswered) || all.some((one) => one.isFetching && one.data === undefined),
    isFailed: all.some((one) => one.isError),
  };
}
