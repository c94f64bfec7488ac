import { CHECKER_MESSAGES } from '#contract/checkers.ts';
import type { Organization } from '#contract/organizations.ts';
import { listSites } from '#server/accounts/sites/sites.ts';
import { isUniqueViolation } from '#server/platform/database-errors.ts';
import { type GlobalDb, advisoryLock } from '#server/platform/database.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { insertMember, roleIn } from './members.sql.ts';

export const MAX_ORGANIZATIONS_OF_USER = 20;

/** Names are compared regardless of case and of the number of spaces. */
function keyOf(name: string): string {
  return name.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();
}

export async function getOrganization(services: Services, id: string): Promise<Organization> {
  return readOrganization(services, services.database.global, id);
}

async function readOrganization(services: Services, tx: GlobalDb, id: string): Promise<Organization> {
  const row = await tx.db.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('This organization');
  return {
    id: row.id,
    name: row.name,
    sites: await listSites(services, id, tx),
    subscription: row.subscription,
    valid_until: row.valid_until?.toISOString() ?? null,
    is_valid: row.valid_until === null || row.valid_until > services.clock.now(),
    requires_second_factor: row.requires_second_factor,
  };
}

export async function createOrganization(
  services: Services,
  userId: string,
  name: string,
): Promise<Organization> {
  const id = newId();
  const now = services.clock.now();
  try {
    return await services.database.inTransaction(async (tx) => {
      await advisoryLock(tx, `organizations:${userId}`);
      await advisoryLock(tx, `organization-name:${keyOf(name)}`);
      const own = await tx.db
        .selectFrom('organizations')
        .select('id')
        .where('created_by', '=', userId)
        .execute();
      if (own.length >= MAX_ORGANIZATIONS_OF_USER) {
        throw new AppError(
          'limit_reached',
          `An account can create up to ${MAX_ORGANIZATIONS_OF_USER} organizations.`,
        );
      }
      await tx.db
        .insertInto('organizations')
        .values({
          id,
          name,
          name_key: keyOf(name),
          created_by: userId,
          subscription: null,
          valid_until: null,
          created_at: now,
        })
        .execute();
      await insertMember(tx, { organization_id: id, user_id: userId, role: 'owner', created_at: now });
      return readOrganization(services, tx, id);
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const unfinished = await unfinishedOrganization(services, userId, name);
    throw new AppError('name_taken', CHECKER_MESSAGES.nameTaken, {
      field: 'name',
      ...(unfinished === null ? {} : { data: { organization_id: unfinished } }),
    });
  }
}

/** Only for operators: see `npm run plan`. */
export async function setSubscription(
  tx: GlobalDb,
  id: string,
  plan: { subscription: string | null; valid_until: Date | null },
): Promise<void> {
  await tx.db.updateTable('organizations').set(plan).where('id', '=', id).execute();
}

/** Changing only the case of its own name is allowed. @throws AppError `name_taken` */
export async function renameOrganization(
  services: Services,
  id: string,
  name: string,
): Promise<Organization> {
  try {
    return await services.database.inTransaction(async (tx) => {
      await tx.db
        .updateTable('organizations')
        .set({ name, name_key: keyOf(name) })
        .where('id', '=', id)
        .where('deletion_requested_at', 'is', null)
        .execute();
      return readOrganization(services, tx, id);
    });
  } catch (error) {
    if (isUniqueViolation(error))
      throw new AppError('name_taken', CHECKER_MESSAGES.nameTaken, { field: 'name' });
    throw error;
  }
}

/**
 * An organization of this name that the user created and that has no site yet: the response was lost, or the survey was
 * abandoned. Its creator may continue with it.
 */
async function unfinishedOrganization(
  services: Services,
  userId: string,
  name: string,
): Promise<string | null> {
  const row = await services.database.global.db
    .selectFrom('organizations')
    .select('id')
    .where('name_key', '=', keyOf(name))
    .where('created_by', '=', userId)
    .executeTakeFirst();
  if (row === undefined || (await roleIn(services.database.global, userId, row.id)) === null) return null;
  return (await listSites(services, row.id)).length === 0 ? row.id : null;
}

/**
 * @param userId of the caller, for whom the name of their own unfinished organization is available
 * @returns the availability of a name, with the spec's texts
 */
export async function checkOrganizationName(
  services: Services,
  userId: string,
  name: string,
): Promise<{ error: boolean; message: string }> {
  const key = keyOf(name);
  if (key === '') return { error: true, message: CHECKER_MESSAGES.nameEmpty };
  const taken = await services.database.global.db
    .selectFrom('organizations')
    .select('id')
    .where('name_key', '=', key)
    .executeTakeFirst();
  const isFree = taken === undefined || (await unfinishedOrganization(services, userId, name)) !== null;
  return isFree
    ? { error: false, message: CHECKER_MESSAGES.nameFree }
    : { error: true, message: CHECKER_MESSAGES.nameTaken };
}
