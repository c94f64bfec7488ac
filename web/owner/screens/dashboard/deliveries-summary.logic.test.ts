import { expect, it } from 'vitest';
import { countByStatus } from './deliveries-summary.logic.ts';

it('counts each status, those without any too', () => {
  expect(countByStatus([{ status: 'failed' }, { status: 'arrived' }, { status: 'arrived' }])).toEqual([
    { status: 'arrived', count: 2 },
    { status: 'waiting', count: 0 },
    { status: 'failed', count: 1 },
  ]);
});
