import type pg from 'pg';

/**
 * A customer's last record again and again, until they have so many: saving them one by one would take minutes. The chain
 * doesn't hold.
 */
export async function repeatLastRecord(owner: pg.Pool, customerId: string, records: number): Promise<void> {
  const { rows } = await owner.query<{ last: number }>(
    'select sequence as last from customers where id = $1',
    [customerId],
  );
  const last = rows[0]?.last ?? 0;
  const client = await owner.connect();
  try {
    await client.query(
      `create temporary table copied as select choices.* from choices, generate_series(1, $2::int)
       where customer_id = $1 and sequence = $3`,
      [customerId, records - last, last],
    );
    await client.query(
      `update copied set id = gen_random_uuid(), save_id = null, sequence = $1 + numbered.n
       from (select ctid as place, row_number() over () as n from copied) numbered where copied.ctid = place`,
      [last],
    );
    await client.query('insert into choices select * from copied');
    await client.query('drop table copied');
    await client.query('update customers set sequence = $2 where id = $1', [customerId, records]);
  } finally {
    client.release();
  }
}
