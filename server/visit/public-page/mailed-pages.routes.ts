import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { tokenIn } from '#contract/pasted-links.ts';
import { isTakenDown } from '#server/accounts/sites/sites.ts';
import type { Visit } from '#server/audience/evidence/visit.ts';
import { notFound } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import type { PageView } from '#web/page/view.ts';
import { changeConfirmedView, changeView, resubscribeUndoView } from './confirm-pages.ts';
import {
  handleDataRequest,
  dataView,
  emailUndoneView,
  emailUndoView,
  type MailedVisit,
  restoredView,
  restoreView,
} from './mailed-pages.ts';

type TokenRequest = FastifyRequest<{ Params: { token: string } }>;

/** What the pages of a site's host share. */
interface Host {
  options: RouteShorthandOptions;
  visited: (request: FastifyRequest) => Promise<Visit>;
  languagesOf: (request: FastifyRequest) => readonly string[];
  /** Whether the page's button was pressed. Any other request only opens the page. */
  isConfirmed: (request: FastifyRequest) => boolean;
  send: (reply: FastifyReply, view: PageView, status?: number) => Promise<FastifyReply>;
}

/** The pages behind mailed links: opening one is read-only; its button makes the change. */
export function mailedPageRoutes(scope: FastifyInstance, services: Services, host: Host): void {
  const { options, send } = host;

  async function mailedVisit(request: TokenRequest): Promise<MailedVisit> {
    return {
      visit: await host.visited(request),
      token: tokenIn(request.params.token),
      browserLanguages: host.languagesOf(request),
    };
  }

  /** Of a button that may raise what someone gets: there is none while the site's pages are taken down. */
  async function raisingVisit(request: TokenRequest): Promise<MailedVisit> {
    const mailed = await mailedVisit(request);
    if (await isTakenDown(services, mailed.visit.siteId)) throw notFound('This page');
    return mailed;
  }

  function sendAnswer(reply: FastifyReply, view: PageView) {
    const isRefused = (view.confirm?.refusal ?? null) !== null;
    return send(reply, view, isRefused ? 409 : undefined);
  }

  scope.get('/undo/:token', options, async (request: TokenRequest, reply) =>
    send(reply, await emailUndoView(services, await raisingVisit(request))),
  );

  scope.post('/undo/:token', options, async (request: TokenRequest, reply) => {
    const answer = host.isConfirmed(request) ? emailUndoneView : emailUndoView;
    return sendAnswer(reply, await answer(services, await raisingVisit(request)));
  });

  scope.get('/restore/:token', options, async (request: TokenRequest, reply) =>
    send(reply, await restoreView(services, await raisingVisit(request))),
  );

  scope.post('/restore/:token', options, async (request: TokenRequest, reply) => {
    const answer = host.isConfirmed(request) ? restoredView : restoreView;
    return sendAnswer(reply, await answer(services, await raisingVisit(request)));
  });

  scope.get('/confirm/:token', options, async (request: TokenRequest, reply) =>
    send(reply, await changeView(services, await raisingVisit(request))),
  );

  scope.post('/confirm/:token', options, async (request: TokenRequest, reply) => {
    const answer = host.isConfirmed(request) ? changeConfirmedView : changeView;
    const view = await answer(services, await raisingVisit(request));
    const isRefused = (view.confirm?.refusal ?? null) !== null;
    return send(reply, view, isRefused ? 409 : undefined);
  });

  scope.get('/resubscribed/:token', options, async (request: TokenRequest, reply) =>
    send(reply, await resubscribeUndoView(services, await mailedVisit(request), false)),
  );

  scope.post('/resubscribed/:token', options, async (request: TokenRequest, reply) =>
    send(reply, await resubscribeUndoView(services, await mailedVisit(request), host.isConfirmed(request))),
  );

  scope.get('/data/:token', options, async (request: TokenRequest, reply) =>
    send(reply, await dataView(services, await mailedVisit(request))),
  );

  scope.post('/data/:token', options, async (request: TokenRequest, reply) => {
    const mailed = await mailedVisit(request);
    if (!host.isConfirmed(request)) return send(reply, await dataView(services, mailed));
    const answer = await handleDataRequest(services, mailed);
    if ('view' in answer) return send(reply, answer.view);
    return reply
      .type('application/json; charset=utf-8')
      .header('content-disposition', 'attachment; filename="personal-data.json"')
      .header('cache-control', 'private, no-store')
      .header('x-robots-tag', 'noindex, nofollow')
      .serializer(String)
      .send(JSON.stringify(answer.data, null, 2));
  });
}
