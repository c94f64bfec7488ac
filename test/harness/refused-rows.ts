import { onTestFinished } from 'vitest';
import type { TestProduct } from './product.ts';

/** Until the test ends, the database refuses to store attempts of these deliveries, as it would a value that it can't hold. */
export async function refuseAttemptsOf(
  { testDatabase: { owner } }: TestProduct,
  deliveryIds: readonly string[],
): Promise<void> {
  await owner.query(`create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'unsupported Unicode escape sequence' using errcode = '22P05'; end $$`);
  await owner.query(
    `create trigger refused before insert on delivery_attempts for each row
       when (new.delivery_id in (${deliveryIds.map((id) => `'${id}'`).join(', ')})) execute function refuse()`,
  );
  onTestFinished(() => owner.query('drop function refuse cascade').then(() => {}));
}
