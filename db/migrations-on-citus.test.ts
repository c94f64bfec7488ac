import {
  type DatabaseConnection,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { MIGRATIONS } from '#server/platform/migrate.ts';
import { REFERENCE_TABLES } from './migrations/0001-schema.ts';

/*
 * What migrations send where they find Citus. Nothing here runs it: `test/with-citus.sh` does, for anyone who has Citus. This
 * holds on every machine.
 */

const SEQUENTIAL = `set local citus.multi_shard_modify_mode to 'sequential'`;

/** @param answer the rows of a statement */
function recordingOn(answer: (statement: string) => object[]): { db: Kysely<unknown>; sent: string[] } {
  const sent: string[] = [];
  const connection: DatabaseConnection = {
    async executeQuery({ sql }) {
      if (!isQuestion(sql)) sent.push(sql.trim());
      return { rows: answer(sql) as never[] };
    },
    // oxlint-disable-next-line require-yield
    async *streamQuery() {
      throw new Error('Migrations stream nothing');
    },
  };
  const driver = new DummyDriver();
  driver.acquireConnection = async () => connection;
  const db = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driver,
      createIntrospector: (one) => new PostgresIntrospector(one),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  return { db, sent };
}

const isQuestion = (statement: string) => /^\s*select\b(?!\s+create_)/.test(statement);
const asksForCitus = (statement: string) => statement.includes(`extname = 'citus'`);

let sent: string[];
const byMigration = new Map<string, string[]>();

beforeAll(async () => {
  const recording = recordingOn((statement) => (asksForCitus(statement) ? [{ found: 1 }] : []));
  sent = recording.sent;
  for (const [name, migration] of Object.entries(MIGRATIONS)) {
    const before = sent.length;
    await migration.up(recording.db);
    byMigration.set(name, sent.slice(before));
  }
});

/** What a pattern catches in the statements. */
const caught = (pattern: RegExp) => sent.flatMap((statement) => pattern.exec(statement)?.[1] ?? []);

describe('migrations on Citus', () => {
  it('force row-level security on no table, because such a table cannot be moved to another worker', () => {
    expect(caught(/^(alter table \w+ force row level security)/)).toEqual([]);
    expect(caught(/^alter table (\w+) enable row level security/).length).toBeGreaterThan(10);
  });

  it('lift forced row-level security from the tables of a cluster that an earlier version made', async () => {
    const { db, sent: taken } = recordingOn((statement) => {
      if (asksForCitus(statement)) return [{ found: 1 }];
      return statement.includes('relforcerowsecurity') ? [{ name: 'choices' }, { name: 'lists' }] : [];
    });
    await MIGRATIONS['0014-no-force-on-citus'].up(db);
    expect(taken).toEqual([
      SEQUENTIAL,
      'alter table choices no force row level security',
      'alter table lists no force row level security',
    ]);
  });

  it('distribute every table behind a policy by its site, beside the others, before another table references it', () => {
    const secured = caught(/^alter table (\w+) enable row level security/);
    expect(caught(/^select create_distributed_table\('(\w+)', 'site_id'/)).toEqual(secured);
    const [, ...later] = sent.filter((statement) => statement.startsWith('select create_distributed_table'));
    expect(later.filter((statement) => !statement.includes(`colocate_with => 'audit_log'`))).toEqual([]);
    for (const table of secured) {
      const distributed = sent.findIndex((one) =>
        one.startsWith(`select create_distributed_table('${table}'`),
      );
      const tied = sent.findIndex((one) => one.startsWith(`alter table ${table} add constraint`));
      expect({ table, isInOrder: tied === -1 || distributed < tied }).toEqual({ table, isInOrder: true });
    }
    expect(caught(/^select create_reference_table\('(\w+)'/)).toEqual(REFERENCE_TABLES);
  });

  it('change tables one node after the other, and no column together with a constraint', () => {
    const changing = [...byMigration].filter(([, statements]) =>
      statements.some((one) => /^(?:create|alter) table|^select create_|^update|^insert/.test(one)),
    );
    expect(changing.filter(([, [first]]) => first !== SEQUENTIAL).map(([name]) => name)).toEqual([]);
    const withColumn = sent.filter((one) => /^alter table[^;]*add column/.test(one));
    expect(withColumn.filter((one) => /\b(?:constraint|references|check|unique)\b/.test(one))).toEqual([]);
  });

  it('have no trigger and no rule', () => {
    expect(caught(/^(create (?:or replace )?(?:constraint )?(?:trigger|rule))\b/)).toEqual([]);
  });
});
