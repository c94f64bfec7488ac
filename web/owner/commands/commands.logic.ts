/** The palette's groups, in order. */
export const GROUPS = [
  'recent',
  'go',
  'create',
  'view',
  'customers',
  'lists',
  'pages',
  'actions',
  'sites',
  'settings',
  'handbook',
] as const;
export type Group = (typeof GROUPS)[number];

export interface Findable {
  id: string;
  group: Group;
  label: string;
  /** Other words that find it. */
  keywords?: string;
  /** Shows up only once something is typed. */
  isTypedOnly?: boolean;
}

/** Lower case, without accents. */
function plain(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').replaceAll('ł', 'l').toLowerCase();
}

/** Labels of which parts of words, in order, are enough: `prefpg` finds Preference Pages. Elsewhere that finds anything. */
const ABBREVIATED: readonly Group[] = ['go', 'create'];

function scoreOfWord(word: string, label: string, keywords: string, isAbbreviated: boolean): number {
  if (label.startsWith(word)) return 5;
  if (label.split(/[^\p{L}\p{N}]+/u).some((part) => part.startsWith(word))) return 4;
  if (label.includes(word)) return 3;
  if (keywords.split(' ').some((part) => part.startsWith(word))) return 2;
  return isAbbreviated && word.length > 1 && isWithin(word, label) ? 1 : 0;
}

/** Whether the letters occur in this order. */
function isWithin(word: string, label: string): boolean {
  let from = 0;
  for (const letter of word) {
    const at = label.indexOf(letter, from);
    if (at < 0) return false;
    from = at + 1;
  }
  return true;
}

/** How well a label matches the typed text; 0 is no match. Every typed word has to match something. */
export function scoreOf(
  typed: string,
  { group, label, keywords = '' }: Pick<Findable, 'group' | 'label' | 'keywords'>,
): number {
  const words = plain(typed).split(/\s+/).filter(Boolean);
  const isAbbreviated = ABBREVIATED.includes(group);
  const scores = words.map((word) => scoreOfWord(word, plain(label), plain(keywords), isAbbreviated));
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0);
}

/** How many of a group are shown for a typed text. Sites are few, and somebody who types to switch wants to see all. */
const SHOWN_OF_GROUP = 6;
const SHOWN_WHOLE: readonly Group[] = ['sites'];

/** The scores of what another search found: customers by the server, and handbook pages, which come last. */
const FOUND_ELSEWHERE: Partial<Record<Group, number>> = { customers: 3, handbook: 1 };

/**
 * What the palette shows, by group, and how many more a group has. With nothing typed: recent commands and everything that
 * can be done. Otherwise the matches, best first, with the group of the best match first; `whole` is shown in full.
 */
export function found<T extends Findable>(
  typed: string,
  commands: readonly T[],
  recent: readonly string[],
  whole: Group | null = null,
): { group: Group; commands: T[]; more: number }[] {
  if (typed.trim() === '') return initial(commands, recent).map((one) => ({ ...one, more: 0 }));
  const scored = commands
    .map((command) => ({ command, score: FOUND_ELSEWHERE[command.group] ?? scoreOf(typed, command) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score);
  const groups = [...new Set(scored.map(({ command }) => command.group))];
  return groups.map((group) => {
    const all = scored.flatMap(({ command }) => (command.group === group ? [command] : []));
    const isWhole = group === whole || SHOWN_WHOLE.includes(group);
    const shown = isWhole ? all : all.slice(0, SHOWN_OF_GROUP);
    return { group, commands: shown, more: all.length - shown.length };
  });
}

/** Lists, pages and the like show up once something is typed: there are too many to list them all. */
const ONLY_TYPED: readonly Group[] = ['customers', 'lists', 'pages', 'actions', 'handbook'];

function isInitial({ group, isTypedOnly = false }: Findable): boolean {
  return !isTypedOnly && !ONLY_TYPED.includes(group);
}

function initial<T extends Findable>(commands: readonly T[], recent: readonly string[]) {
  const used = recent.flatMap((id) => commands.find((command) => command.id === id) ?? []);
  return GROUPS.map((group) => ({
    group,
    commands:
      group === 'recent'
        ? used
        : commands.filter((one) => one.group === group && isInitial(one) && !used.includes(one)),
  })).filter((one) => one.commands.length > 0);
}

const RECENT = 4;

/** The recently used ids, newest first. */
export function withRecent(recent: readonly string[], id: string): string[] {
  return [id, ...recent.filter((one) => one !== id)].slice(0, RECENT);
}
