import { expect, test } from 'vitest';
import { nearestTab, tabsWith } from './editor-tabs.ts';

test('problems are found on their tabs, in the order of the tabs', () => {
  expect(tabsWith(['embed_origins', 'primary_color', 'name'])).toEqual(['content', 'look', 'links']);
});

test('the editor does not leave a tab that has a problem itself', () => {
  expect(nearestTab(['name', 'primary_color'], 'look')).toBe('look');
  expect(nearestTab(['name', 'primary_color'], 'rules')).toBe('content');
  expect(nearestTab([], 'rules')).toBe('rules');
});
