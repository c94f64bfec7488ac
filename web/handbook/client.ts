import '@fontsource-variable/inter/wght.css';
import './handbook.css';
import type { HandbookSection } from '#contract/handbook.ts';
import { createSearch, excerptOf } from './search.logic.ts';

/*
 * What the handbook can do with JavaScript beyond being read: the theme that was chosen in the app, a search, and
 * buttons that copy code.
 */

const MOST_RESULTS = 8;

useTheme();
document.addEventListener('DOMContentLoaded', () => {
  addCopyButtons();
  showPlace();
  const box = document.querySelector<HTMLElement>('.search');
  if (box) startSearch(box);
});

/** Before anything is painted. */
function useTheme(): void {
  const theme = localStorage.getItem('theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme;
}

/** The table of contents is longer than most windows: it begins where the reader is. */
function showPlace(): void {
  const side = document.querySelector<HTMLElement>('.side');
  const current = side?.querySelector<HTMLElement>('[aria-current=page]');
  if (!side || !current) return;
  const below = current.getBoundingClientRect().bottom - side.getBoundingClientRect().bottom;
  if (below > 0) side.scrollTop = below + side.clientHeight / 2;
}

function addCopyButtons(): void {
  for (const block of document.querySelectorAll<HTMLElement>('.code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    const status = document.createElement('span');
    status.className = 'unseen';
    status.setAttribute('role', 'status');
    button.addEventListener('click', () => {
      const text = block.querySelector('code')?.textContent ?? '';
      void navigator.clipboard.writeText(text).then(
        () => say(button, status, 'Copied'),
        () => say(button, status, 'Select it'),
      );
    });
    block.append(button, status);
  }
}

function say(button: HTMLButtonElement, status: HTMLElement, words: string): void {
  button.textContent = words;
  status.textContent = words;
  setTimeout(() => {
    button.textContent = 'Copy';
    status.textContent = '';
  }, 2000);
}

type Search = ReturnType<typeof createSearch>;

/** Fetched once, when somebody is about to search. */
function loadOnce(url: string): () => Promise<Search> {
  let loading: Promise<Search> | undefined;
  const load = async (): Promise<Search> => {
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`The index of the search answers ${answer.status}`);
    return createSearch((await answer.json()) as HandbookSection[]);
  };
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

function startSearch(box: HTMLElement): void {
  const input = box.querySelector('input');
  const list = box.querySelector('ul');
  const status = box.querySelector<HTMLElement>('[role=status]');
  if (!input || !list || !status) return;
  box.hidden = false;
  const load = loadOnce(box.dataset['index'] ?? '');
  const results = resultList(input, list, status);

  async function search(): Promise<void> {
    const typed = input?.value.trim() ?? '';
    if (typed === '') return results.show([], '');
    try {
      const found = (await load())(typed, MOST_RESULTS);
      // Something else was typed meanwhile.
      if (typed !== input?.value.trim()) return;
      const words = found.length === 0 ? `Nothing found for “${typed}”.` : `${found.length} found`;
      results.show(
        found.map((section, index) => resultOf(section, index, typed)),
        words,
      );
    } catch {
      results.show([], 'The search didn’t load. Check your connection and type again.');
    }
  }

  input.addEventListener('focus', () => void load().catch(() => {}));
  input.addEventListener('input', () => void search());
  input.addEventListener('keydown', (event) => {
    if (results.handleKey(event.key)) event.preventDefault();
  });
  list.addEventListener('click', () => results.show([], ''));
  document.addEventListener('click', ({ target }) => {
    if (target instanceof Node && !box.contains(target)) results.show([], '');
  });
  focusOnSlash(input);
}

/** The results below the input, of which the arrow keys choose one while the focus stays in the input. */
function resultList(input: HTMLInputElement, list: HTMLElement, status: HTMLElement) {
  let chosen = -1;
  const options = () => [...list.querySelectorAll<HTMLAnchorElement>('a')];

  function choose(index: number): void {
    chosen = index;
    for (const [place, option] of options().entries()) {
      option.setAttribute('aria-selected', String(place === index));
      if (place === index) option.scrollIntoView({ block: 'nearest' });
    }
    const id = options()[index]?.id;
    if (id === undefined) input.removeAttribute('aria-activedescendant');
    else input.setAttribute('aria-activedescendant', id);
  }

  function show(items: HTMLElement[], words: string): void {
    list.replaceChildren(...items);
    list.hidden = items.length === 0;
    input.setAttribute('aria-expanded', String(items.length > 0));
    status.textContent = words;
    choose(items.length > 0 ? 0 : -1);
  }

  /** Whether the key did something here. */
  function handleKey(key: string): boolean {
    const count = options().length;
    if (key === 'Escape') {
      input.value = '';
      show([], '');
    } else if (key === 'Enter') options()[chosen]?.click();
    else if (key === 'ArrowDown' && count > 0) choose((chosen + 1) % count);
    else if (key === 'ArrowUp' && count > 0) choose((chosen - 1 + count) % count);
    else return false;
    return true;
  }

  return { show, handleKey };
}

function focusOnSlash(input: HTMLInputElement): void {
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });
}

function resultOf({ url, page, heading, text }: HandbookSection, index: number, typed: string): HTMLElement {
  const item = document.createElement('li');
  item.setAttribute('role', 'presentation');
  const link = document.createElement('a');
  link.href = url;
  link.id = `search-result-${index}`;
  link.tabIndex = -1;
  link.setAttribute('role', 'option');
  const title = document.createElement('strong');
  title.textContent = heading === '' ? page : `${page} › ${heading}`;
  const excerpt = document.createElement('span');
  excerpt.textContent = excerptOf(text, typed);
  link.append(title, excerpt);
  item.append(link);
  return item;
}
