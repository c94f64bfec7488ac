import fastify from 'fastify';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';

/*
 * What the same stack does at best: Fastify, Kysely and pg as their documentation shows them, one indexed
 * SELECT for reads, one transaction of an upsert and an insert for writes. No rules, no checks.
 */

interface Tables {
  baseline_states: { id: number; value: string; changed_at: Date };
  baseline_log: { id?: number; state_id: number; value: string; at: Date };
}

const ROWS = 5000;

async function main(): Promise<void> {
  const pool = new pg.Pool({ connectionString: process.env['BASELINE_URL'], max: 16 });
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  await sql`drop table if exists baseline_log, baseline_states`.execute(db);
  await sql`create table baseline_states (id int primary key, value text not null, changed_at timestamptz not null)`.execute(
    db,
  );
  await sql`create table baseline_log (id bigint generated always as identity primary key, state_id int not null, value text not null, at timestamptz not null)`.execute(
    db,
  );
  await sql`insert into baseline_states select n, repeat('x', 400), now() from generate_series(1, ${sql.lit(ROWS)}) n`.execute(
    db,
  );

  const app = fastify();
  app.get<{ Params: { id: string } }>('/select/:id', async (request) =>
    db
      .selectFrom('baseline_states')
      .selectAll()
      .where('id', '=', Number(request.params.id))
      .executeTakeFirst(),
  );
  app.put<{ Params: { id: string }; Body: { value: string } }>('/save/:id', async (request) => {
    const id = Number(request.params.id);
    const { value } = request.body;
    await db.transaction().execute(async (tx) => {
      await tx
        .insertInto('baseline_states')
        .values({ id, value, changed_at: new Date() })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ value, changed_at: new Date() }))
        .execute();
      await tx.insertInto('baseline_log').values({ state_id: id, value, at: new Date() }).execute();
    });
    return { saved: true };
  });
  await app.listen({ port: Number(process.env['PORT']), host: '127.0.0.1' });
  console.log('baseline ready');
}

await main();
