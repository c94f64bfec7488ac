import type { Account } from '#contract/accounts.ts';
import { lockUser, updateUser } from '#server/accounts/users/users.sql.ts';
import { avatarPath } from '#server/accounts/users/avatar-address.ts';
import { notFound } from '#server/platform/errors.ts';
import { isId, newId } from '#server/platform/ids.ts';
import type { Limit } from '#server/platform/request-limits.ts';
import { cleanImage } from '#server/platform/pictures/clean-image.ts';
import type { Services } from '#server/platform/services.ts';
import { getAccount, presentAccount } from './accounts.ts';
import { avatarBytes, deleteAvatar, storeAvatar } from './avatars.sql.ts';

const NEW_AVATARS: Limit = { name: 'new-avatar', points: 30, perSeconds: 3600 };

/**
 * Re-encodes an image and stores it as the avatar. Of two concurrent calls, the later one wins.
 * @throws AppError `not_found`; `invalid_field` with `data.problem` if it is not an image
 */
export async function setAvatar(
  services: Services,
  userId: string,
  id: string,
  file: Buffer,
): Promise<Account> {
  await getAccount(services, userId, id);
  await services.limits.use(NEW_AVATARS, userId);
  const { bytes } = await cleanImage('avatar', file, 'body');
  const avatar = { user_id: id, id: newId(), bytes, created_at: services.clock.now() };
  return changePicture(services, id, avatarPath(avatar.id), avatar);
}

/** @throws AppError `not_found` */
export async function removeAvatar(services: Services, userId: string, id: string): Promise<Account> {
  await getAccount(services, userId, id);
  return changePicture(services, id, null, null);
}

async function changePicture(
  services: Services,
  id: string,
  address: string | null,
  avatar: Parameters<typeof storeAvatar>[1] | null,
): Promise<Account> {
  return services.database.inTransaction(async (tx) => {
    await lockUser(tx, id);
    const user = await updateUser(tx, id, { avatar: address });
    if (user === undefined) throw notFound('This account');
    if (avatar === null) await deleteAvatar(tx, id);
    else await storeAvatar(tx, avatar);
    return presentAccount(services, tx, user);
  });
}

/** @returns null if there is no such avatar (any more) */
export async function readAvatar(services: Services, file: string): Promise<Buffer | null> {
  const id = /^(.+)\.webp$/.exec(file)?.[1] ?? '';
  return isId(id) ? avatarBytes(services.database.global, id) : null;
}
