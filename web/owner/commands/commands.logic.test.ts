import { describe, expect, it } from 'vitest';
import { type Findable, found, scoreOf, withRecent } from './commands.logic.ts';

const COMMANDS: Findable[] = [
  { id: 'go:lists', group: 'go', label: 'Lists' },
  { id: 'go:preference-pages', group: 'go', label: 'Preference Pages' },
  { id: 'create:list', group: 'create', label: 'New list', keywords: 'create add' },
  { id: 'list:1', group: 'lists', label: 'Weekly news' },
  { id: 'customer:1', group: 'customers', label: 'vera@example.com' },
  { id: 'theme:dark', group: 'settings', label: 'Theme: Dark' },
  { id: 'section:team', group: 'settings', label: 'Team', keywords: 'members invite', isTypedOnly: true },
  { id: 'handbook:/docs/lists', group: 'handbook', label: 'Lists' },
];

function idsOf(typed: string, recent: string[] = []) {
  return found(typed, COMMANDS, recent).map(({ group, commands }) => [
    group,
    ...commands.map(({ id }) => id),
  ]);
}

describe('the palette', () => {
  it('finds by the start of words, by parts, by synonyms, and by letters in order', () => {
    const pages = { group: 'go', label: 'Preference Pages' } as const;
    for (const typed of ['pref', 'pages', 'pag pref', 'erence', 'prfpg', 'PREF']) {
      expect(scoreOf(typed, pages), typed).toBeGreaterThan(0);
    }
    expect(scoreOf('add', { group: 'create', label: 'New list', keywords: 'create add' })).toBeGreaterThan(0);
    expect(scoreOf('pref lists', pages)).toBe(0);
    expect(scoreOf('segpap', pages)).toBe(0);
  });

  it('does not match letters in order for settings, nor for anything that somebody named', () => {
    expect(scoreOf('dns', { group: 'settings', label: 'Password and sessions' })).toBe(0);
    expect(scoreOf('role', { group: 'settings', label: 'Profile' })).toBe(0);
    expect(scoreOf('dns', { group: 'lists', label: 'Daily news' })).toBe(0);
  });

  it('shows every matching site, and the best of other groups, until all are requested', () => {
    const many = (group: 'sites' | 'lists') =>
      Array.from({ length: 9 }, (_, index) => ({ id: `${group}:${index}`, group, label: `Switch ${index}` }));
    const shown = (whole: 'lists' | null) =>
      found('switch', [...many('sites'), ...many('lists')], [], whole).map(({ group, commands, more }) => [
        group,
        commands.length,
        more,
      ]);
    expect(shown(null)).toEqual([
      ['sites', 9, 0],
      ['lists', 6, 3],
    ]);
    expect(shown('lists')).toEqual([
      ['sites', 9, 0],
      ['lists', 9, 0],
    ]);
  });

  it('ignores accents', () => {
    expect(scoreOf('prefere', { group: 'settings', label: 'Préférences' })).toBeGreaterThan(0);
    expect(scoreOf('wyloguj', { group: 'settings', label: 'Wyloguj się' })).toBe(5);
    expect(scoreOf('polacz', { group: 'settings', label: 'Połącz' })).toBe(5);
  });

  it('ranks matches at the beginning before matches inside', () => {
    expect(idsOf('list')).toEqual([
      ['go', 'go:lists'],
      ['create', 'create:list'],
      ['customers', 'customer:1'],
      ['handbook', 'handbook:/docs/lists'],
    ]);
  });

  it('finds a section of the settings by what is done there, before what the handbook says about it', () => {
    expect(idsOf('invite').filter(([group]) => group !== 'customers')).toEqual([
      ['settings', 'section:team'],
      ['handbook', 'handbook:/docs/lists'],
    ]);
  });

  it('shows recent and available commands while nothing is typed, but no items of the site', () => {
    expect(idsOf('', ['list:1', 'gone', 'go:lists'])).toEqual([
      ['recent', 'list:1', 'go:lists'],
      ['go', 'go:preference-pages'],
      ['create', 'create:list'],
      ['settings', 'theme:dark'],
    ]);
  });

  it('remembers the last four, each once', () => {
    expect(withRecent(['a', 'b', 'c', 'd'], 'c')).toEqual(['c', 'a', 'b', 'd']);
    expect(withRecent(['a', 'b', 'c', 'd'], 'e')).toEqual(['e', 'a', 'b', 'c']);
  });
});
