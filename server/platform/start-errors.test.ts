import { describe, expect, it } from 'vitest';
import { startProblem } from './start-errors.ts';

describe('a failed start', () => {
  it('says what a pooler refuses, and the fix', () => {
    const refused = Object.assign(
      new Error('unsupported startup parameter: idle_in_transaction_session_timeout'),
      { code: '08P01' },
    );
    expect(startProblem(refused)).toBe(
      'DATABASE_URL: a pooler such as PgBouncer is in front of the database and refuses what Sayso sets (unsupported startup parameter: idle_in_transaction_session_timeout). ' +
        'Connect to PostgreSQL itself, or name this parameter in its ignore_startup_parameters and set pool_mode = session.',
    );
  });
});
