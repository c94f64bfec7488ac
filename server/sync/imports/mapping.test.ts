import { describe, expect, it } from 'vitest';
import { suggestMapping } from './mapping.ts';

const list = (name: string) => ({ id: `our ${name}`, name, translations: [] });
const [weekly, offers] = [list('Weekly news'), list('Offers')];

/** What a column is suggested to mean, beside one with the email. */
function meaningOf(column: string, cells: readonly string[], lists = [weekly, offers]): string | null {
  const preview = cells.map((cell, at) => [`p${at}@example.com`, cell]);
  const mapping = suggestMapping(['Email', column], preview, lists);
  return mapping.all === column
    ? 'all'
    : (mapping.lists.find((one) => one.column === column)?.list_id ?? null);
}

describe('a status column', () => {
  it.each([
    ['Newsletter status', ['subscribed', 'unsubscribed', '']],
    ['Newsletter-Status', ['angemeldet', 'abgemeldet']],
    ['subscription_status', ['active', 'active']],
    ['Subscribed', ['yes', 'no']],
    ['Status', ['1', '0']],
  ])('named “%s” is about the only list', (column, cells) => {
    expect(meaningOf(column, cells, [weekly])).toBe(weekly.id);
  });

  it('is about the list in its name', () => {
    expect(meaningOf('Offers (status)', ['yes', 'no'])).toBe(offers.id);
    expect(meaningOf('Weekly news opt-in', ['yes', ''])).toBe(weekly.id);
  });

  it('is about everything where there are several lists, if its cells can only mean that', () => {
    expect(meaningOf('Newsletter status', ['subscribed', 'unsubscribed'])).toBe('all');
    // "yes" would mean the opposite there.
    expect(meaningOf('Newsletter status', ['yes', 'no'])).toBeNull();
  });

  it('may contain unknown words beside “unsubscribed”, also below the first rows', () => {
    expect(meaningOf('Status', ['subscribed', 'cleaned', 'unsubscribed'])).toBe('all');
    expect(meaningOf('Status', ['subscribed', 'cleaned'])).toBe('all');
    expect(meaningOf('Status', ['subscribed', 'VIP'])).toBeNull();
    const samples = [
      { filled: 1, values: [], date_order: null },
      { filled: 9, values: ['cleaned', 'unsubscribed'], date_order: null },
    ];
    const preview = [['nora@example.com', 'subscribed']];
    expect(suggestMapping(['Email', 'Status'], preview, [weekly, offers], samples)).toMatchObject({
      all: 'Status',
    });
  });

  it.each([
    ['Order status', ['yes', 'no']],
    ['Status', ['paid', 'open']],
    ['Newsletter', ['yes', 'no']],
    ['Status', ['', '']],
  ])('named “%s” with %j means nothing', (column, cells) => {
    expect(meaningOf(column, cells, [weekly])).toBeNull();
  });
});

it('one column means unsubscribed from all, and a name takes precedence over a status', () => {
  const columns = ['Email', 'Unsubscribed', 'Newsletter status', 'Offers', 'Offers status'];
  const preview = [['nora@example.com', 'no', 'subscribed', 'yes', 'yes']];
  expect(suggestMapping(columns, preview, [weekly, offers])).toEqual({
    email: 'Email',
    lists: [{ column: 'Offers', list_id: offers.id }],
    all: 'Unsubscribed',
  });
});
