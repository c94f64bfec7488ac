import { expect, it } from 'vitest';
import { entryOf } from './entries.logic.ts';

it('marks the entry of an editor, too', () => {
  expect(entryOf('/lists')).toBe('/lists');
  expect(entryOf('/integrations/1')).toBe('/integrations');
  expect(entryOf('/create-list/new')).toBe('/lists');
  expect(entryOf('/edit-preference-page/1/2')).toBe('/preference-pages');
  expect(entryOf('/account-settings')).toBeUndefined();
});
