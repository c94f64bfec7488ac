import { type Insertable, type Selectable, sql } from 'kysely';
import type { GlobalTables } from '#db/tables.ts';
import type { GlobalDb } from '#server/platform/database.ts';

export type TotpRow = Selectable<GlobalTables['totp_factors']>;
export type PasskeyRow = Selectable<GlobalTables['passkeys']>;

/** A blocked passkey counts: blocking one must not reduce the account to a password alone. */
export async function hasSecondFactor(tx: GlobalDb, userId: string): Promise<boolean> {
  const row = await tx.db
    .selectNoFrom((eb) => [
      eb
        .or([
          eb.exists(eb.selectFrom('totp_factors').select(sql.lit(1).as('one')).where('user_id', '=', userId)),
          eb.exists(eb.selectFrom('passkeys').select(sql.lit(1).as('one')).where('user_id', '=', userId)),
        ])
        .as('has'),
    ])
    .executeTakeFirstOrThrow();
  return Boolean(row.has);
}

export async function findTotp(tx: GlobalDb, userId: string): Promise<TotpRow | undefined> {
  return tx.db.selectFrom('totp_factors').selectAll().where('user_id', '=', userId).executeTakeFirst();
}

export async function insertTotp(tx: GlobalDb, row: Insertable<GlobalTables['totp_factors']>): Promise<void> {
  await tx.db.insertInto('totp_factors').values(row).execute();
}

/** @returns false if a code of this time step, or of a later one, was already used */
export async function useTotpStep(
  tx: GlobalDb,
  userId: string,
  { step, now }: { step: number; now: Date },
): Promise<boolean> {
  const row = await tx.db
    .updateTable('totp_factors')
    .set({ last_step: step, last_used_at: now })
    .where('user_id', '=', userId)
    .where('last_step', '<', String(step))
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** @returns false when there was none */
export async function deleteTotp(tx: GlobalDb, userId: string): Promise<boolean> {
  const row = await tx.db
    .deleteFrom('totp_factors')
    .where('user_id', '=', userId)
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function passkeysOf(tx: GlobalDb, userId: string): Promise<PasskeyRow[]> {
  return tx.db.selectFrom('passkeys').selectAll().where('user_id', '=', userId).orderBy('id').execute();
}

export async function insertPasskey(tx: GlobalDb, row: Insertable<GlobalTables['passkeys']>): Promise<void> {
  await tx.db.insertInto('passkeys').values(row).execute();
}

export async function recordPasskeyUse(
  tx: GlobalDb,
  id: string,
  use: { counter: number; is_synced: boolean; last_used_at: Date },
): Promise<void> {
  await tx.db.updateTable('passkeys').set(use).where('id', '=', id).execute();
}

export async function blockPasskey(tx: GlobalDb, id: string, now: Date): Promise<void> {
  await tx.db.updateTable('passkeys').set({ blocked_at: now }).where('id', '=', id).execute();
}

/** @returns undefined when the account has no such passkey */
export async function renamePasskey(
  tx: GlobalDb,
  userId: string,
  id: string,
  name: string,
): Promise<{ id: string } | undefined> {
  return tx.db
    .updateTable('passkeys')
    .set({ name })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning('id')
    .executeTakeFirst();
}

/** @returns undefined when the account has no such passkey */
export async function deletePasskey(
  tx: GlobalDb,
  userId: string,
  id: string,
): Promise<{ name: string } | undefined> {
  return tx.db
    .deleteFrom('passkeys')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning('name')
    .executeTakeFirst();
}

export interface CodesLeft {
  left: number;
  created_at: Date;
  salt: Buffer;
}

/** undefined: none exist, not even used ones */
export async function recoveryCodesOf(tx: GlobalDb, userId: string): Promise<CodesLeft | undefined> {
  const rows = await tx.db
    .selectFrom('recovery_codes')
    .select(['used_at', 'created_at', 'salt'])
    .where('user_id', '=', userId)
    .execute();
  const [first] = rows;
  if (first === undefined) return undefined;
  const left = rows.filter(({ used_at }) => used_at === null).length;
  return { left, created_at: first.created_at, salt: first.salt };
}

export async function insertRecoveryCodes(
  tx: GlobalDb,
  rows: Insertable<GlobalTables['recovery_codes']>[],
): Promise<void> {
  await tx.db.insertInto('recovery_codes').values(rows).execute();
}

/** @returns false when there is no such code, or it was used */
export async function useRecoveryCode(
  tx: GlobalDb,
  userId: string,
  { hash, now }: { hash: Buffer; now: Date },
): Promise<boolean> {
  const row = await tx.db
    .updateTable('recovery_codes')
    .set({ used_at: now })
    .where('user_id', '=', userId)
    .where('code_hash', '=', hash)
    .where('used_at', 'is', null)
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteRecoveryCodes(tx: GlobalDb, userId: string): Promise<void> {
  await tx.db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
}

/** Deletes factors and recovery codes created at this time or later. */
export async function deleteFactorsSince(tx: GlobalDb, userId: string, since: Date): Promise<void> {
  for (const table of ['totp_factors', 'passkeys', 'recovery_codes'] as const) {
    await tx.db.deleteFrom(table).where('user_id', '=', userId).where('created_at', '>=', since).execute();
  }
}

/** @returns false when it was used before */
export async function useTicket(
  tx: GlobalDb,
  ticket: { id: string; expires_at: Date },
  now: Date,
): Promise<boolean> {
  await tx.db.deleteFrom('used_tickets').where('expires_at', '<', now).execute();
  const row = await tx.db
    .insertInto('used_tickets')
    .values(ticket)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Secrets not sealed with the newest key, in slices by account. */
export async function staleTotpSecrets(
  tx: GlobalDb,
  { newest, after, limit }: { newest: readonly string[]; after: string | null; limit: number },
): Promise<Pick<TotpRow, 'user_id' | 'secret_sealed'>[]> {
  let select = tx.db
    .selectFrom('totp_factors')
    .select(['user_id', 'secret_sealed'])
    .where((eb) => eb(eb.fn<string>('left', ['secret_sealed', sql.lit(3)]), 'not in', newest))
    .orderBy('user_id')
    .limit(limit);
  if (after !== null) select = select.where('user_id', '>', after);
  return select.execute();
}

/** @returns false if it has been replaced since */
export async function replaceTotpSecret(
  tx: GlobalDb,
  { user_id, secret_sealed }: Pick<TotpRow, 'user_id' | 'secret_sealed'>,
  fresh: string,
): Promise<boolean> {
  const row = await tx.db
    .updateTable('totp_factors')
    .set({ secret_sealed: fresh })
    .where('user_id', '=', user_id)
    .where('secret_sealed', '=', secret_sealed)
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}
