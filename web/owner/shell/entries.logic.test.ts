import { expect, it } from 'vitest';
import { entryOf, MAIN_ENTRIES } from './entries.logic.ts';

it('the sidebar has five main entries, in their order (spec 80)', () => {
  expect(MAIN_ENTRIES).toEqual(['/dashboard', '/integrations', '/lists', '/actions', '/preference-pages']);
});

it('the sidebar marks the entry of an editor, too (spec 80)', () => {
  expect(entryOf('/lists')).toBe('/lists');
  expect(entryOf('/integrations/1')).toBe('/integrations');
  expect(entryOf('/create-list/new')).toBe('/lists');
  expect(entryOf('/edit-preference-page/1/2')).toBe('/preference-pages');
  expect(entryOf('/imports/new')).toBe('/customers');
  expect(entryOf('/evidence')).toBe('/dashboard');
  expect(entryOf('/deliveries')).toBe('/deliveries');
  expect(entryOf('/account-settings')).toBeUndefined();
});
