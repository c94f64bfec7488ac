import type { FastifyRequest } from 'fastify';
import * as contract from '#contract/account-data.ts';
import type { Api } from '#server/accounts/access/access.ts';
import { readAvatar, removeAvatar, setAvatar } from '#server/accounts/accounts/avatars.ts';
import {
  endOthers,
  endSessionOf,
  listSessions,
  requireSelf,
} from '#server/accounts/sessions/sessions-of-account.ts';
import { notFound } from '#server/platform/errors.ts';
import type { Http } from '#server/platform/http/server.ts';
import type { Limit } from '#server/platform/request-limits.ts';
import type { Services } from '#server/platform/services.ts';
import { deleteAccount, planDeletion } from './delete-account.ts';
import { exportAccount } from './export-account.ts';

const DELETION_TRIES: Limit = { name: 'deletion-try', points: 10, perSeconds: 900 };

export function accountDataRoutes(api: Api, services: Services): void {
  api(contract.listSessions, async ({ user, params }) => ({
    results: await listSessions(services, user, params.id),
    next: null,
  }));

  api(contract.endSession, async ({ user, params }) => {
    await endSessionOf(services, user, params.id, params.session_id);
    return null;
  });

  api(contract.endOtherSessions, async ({ user, params }) => {
    await endOthers(services, user, params.id);
    return null;
  });

  api(contract.uploadAvatar, async ({ user, params, file }) => setAvatar(services, user.id, params.id, file));

  api(contract.removeAvatar, async ({ user, params }) => removeAvatar(services, user.id, params.id));

  api(contract.exportAccount, async ({ user, params }) => {
    requireSelf(user, params.id);
    return exportAccount(services, user.id);
  });

  api(contract.planDeletion, async ({ user, params }) => {
    requireSelf(user, params.id);
    return planDeletion(services, user.id);
  });

  api(contract.deleteAccount, async ({ user, params, body }) => {
    requireSelf(user, params.id);
    await services.limits.use(DELETION_TRIES, user.id);
    await deleteAccount(services, user, { username: body.username, password: body.password ?? '' });
    return null;
  });
}

type AvatarRequest = FastifyRequest<{ Params: { file: string } }>;

/** Avatars, under immutable URLs. */
export function avatarFileRoutes(http: Http, services: Services): void {
  http.get('/avatars/:file', { schema: { hide: true } }, async (request: AvatarRequest, reply) => {
    const bytes = await readAvatar(services, request.params.file);
    if (bytes === null) throw notFound('This picture');
    return reply
      .header('cache-control', 'private, max-age=31536000, immutable')
      .header('content-security-policy', "default-src 'none'; sandbox")
      .type('image/webp')
      .send(bytes);
  });
}
