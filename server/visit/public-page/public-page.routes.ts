import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { Language } from '#contract/fields.ts';
import { challengeIn, onlyWordIn } from '#contract/pasted-links.ts';
import { customPath } from '#contract/preference-pages.ts';
import { API_PREFIX } from '#contract/route.ts';
import { findSiteOfHost } from '#server/accounts/sites/hosts.ts';
import { requireSiteOfHost } from '#server/accounts/sites/sites.ts';
import type { Visit } from '#server/audience/evidence/visit.ts';
import { requirePageByPath, type ServedPage } from '#server/pages/preference-pages/public-pages.ts';
import { appHost } from '#server/platform/config.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import { acceptedLanguages } from '#server/platform/http/accept-language.ts';
import { hostName } from '#server/platform/http/headers.ts';
import { toAppError } from '#server/platform/http/problems.ts';
import { type Http, sendError } from '#server/platform/http/server.ts';
import type { Services } from '#server/platform/services.ts';
import { attributeToTenant } from '#server/platform/tenant-budget.ts';
import {
  leaveByLink,
  wasErasedAsLeft,
  readLeaveLink,
  reportWrongRecipient,
} from '#server/visit/public-customers/one-click.ts';
import { visitOf } from '#server/visit/public-customers/public-customers.routes.ts';
import { parseSubmission, type Submission } from '#web/page/submission.ts';
import { chooseLanguage, type PageStep, type PageView } from '#web/page/view.ts';
import { splitAtNonce, loadRenderer, sendDocument, STEP_STATUS } from './documents.ts';
import { acceptForms, EMPTY_FORM, type FormBody, type OneClick } from './form-body.ts';
import { renderPage } from './page-template-cache.ts';
import { handleLanding, landingLanguage, leaveView } from './leave-links.ts';
import { mailedPageRoutes } from './mailed-pages.routes.ts';
import { brandOfHost, messageView, openedView, pageView, readQuery, takenDownView } from './page-views.ts';
import { reportRoutes } from './report-page.ts';
import { handleSubmission, pageOfForm } from './submissions.ts';

type PageRequest = FastifyRequest<{ Params: { custom_path: string } }>;
type LinkRequest = FastifyRequest<{ Params: { challenge: string } }>;

interface OpenedPage {
  visit: Visit;
  served: ServedPage;
  language: Language;
}

const LINK_METHODS = 'GET, HEAD, POST';
const ONE_CLICK_DONE: Record<OneClick, string> = {
  leave: "You're unsubscribed.\n",
  wrong_recipient: "You won't receive these emails anymore.\n",
};

/** Languages in order of preference: chosen on the page, then requested by the browser. */
function wishedLanguages(request: FastifyRequest): string[] {
  const { lang } = request.query as { lang?: unknown };
  const wishes = acceptedLanguages(request.headers['accept-language']);
  return typeof lang === 'string' ? [lang.slice(0, 35), ...wishes] : wishes;
}

function stepOf(error: AppError): PageStep {
  if (error.status === 429) return 'rate-limited';
  return error.status >= 500 ? 'unavailable' : 'not-found';
}

function statusOf({ step, notice }: PageView): number {
  if (notice?.kind !== 'error') return STEP_STATUS[step];
  return notice.key === 'save_error.link_expired' ? 403 : 422;
}

const notKept = /^\/(?:api|docs|hooks|assets|dev)\//;

type Render = Awaited<ReturnType<typeof loadRenderer>>;
type Send = (reply: FastifyReply, view: PageView, status?: number) => Promise<FastifyReply>;
type SendMessage = (
  request: FastifyRequest,
  reply: FastifyReply,
  step: PageStep,
  status?: number,
) => Promise<FastifyReply>;

/**
 * All hosts but the app's: preference pages, personal unsubscribe links, and 404.
 * @param onRequest refuses a host that can be none of theirs
 */
export async function publicPageRoutes(
  http: Http,
  services: Services,
  onRequest: onRequestAsyncHookHandler,
): Promise<void> {
  const render = await loadRenderer();
  const escapedAppHost = appHost(services.config).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const constraints = { host: new RegExp(`^(?!${escapedAppHost}$)`, 'i') };
  const options = { schema: { hide: true }, constraints, onRequest };
  const send = (reply: FastifyReply, view: PageView, status = STEP_STATUS[view.step]) =>
    sendDocument(reply, status, splitAtNonce(render(view)));
  const sendMessage: SendMessage = async (request, reply, step, status) => {
    const [host, languages] = [hostName(request.host), wishedLanguages(request)];
    if (step !== 'not-found') return send(reply, messageView(step, languages), status);
    const takenDown = await takenDownView(services, host, request.query, languages);
    if (takenDown !== null) return send(reply, takenDown);
    return send(reply, messageView(step, languages, await brandOfHost(services, host)), status);
  };
  const { showPage, answerPage } = pageHandlers(services, render);
  const { showLink, answerLink } = linkHandlers(services, send, sendMessage);

  await http.register(async (scope) => {
    acceptForms(scope);
    scope.setErrorHandler((error, request, reply) => {
      const problem = toAppError(error);
      if (problem.status >= 500) request.log.error({ err: problem.cause ?? problem }, problem.message);
      if (problem.retryAfterSeconds !== null) reply.header('retry-after', String(problem.retryAfterSeconds));
      return sendMessage(request, reply, stepOf(problem), Math.max(problem.status, 400));
    });

    scope.get('/user/notification', { schema: { hide: true } }, async (request, reply) => {
      const query = request.url.indexOf('?');
      return reply.redirect(`/preferences${query < 0 ? '' : request.url.slice(query)}`, 302);
    });
    scope.get('/u/:challenge', options, (request: LinkRequest, reply) => showLink(request, reply));
    scope.post('/u/:challenge', options, (request: LinkRequest, reply) => answerLink(request, reply));
    scope.route({
      method: ['DELETE', 'PATCH', 'PUT'],
      url: '/u/:challenge',
      ...options,
      // Before the body, which nobody reads.
      onRequest: async (request, reply) => {
        reply.header('allow', LINK_METHODS);
        const message = `This URL has no ${request.method}. Use ${LINK_METHODS}.`;
        return sendError(request, reply, new AppError('method_not_allowed', message));
      },
      handler: async (_request, reply) => reply,
    });
    const host = {
      options,
      visited: (request: FastifyRequest) => visited(services, request),
      languagesOf: wishedLanguages,
      isConfirmed: (request: FastifyRequest) => parseSubmission(bodyOf(request).fields)?.intent === 'confirm',
      send,
    };
    mailedPageRoutes(scope, services, host);
    reportRoutes(scope, services, host);
    scope.get('/:custom_path', options, (request: PageRequest, reply) => showPage(request, reply));
    scope.post('/:custom_path', options, (request: PageRequest, reply) => answerPage(request, reply));
    scope.get('/*', options, async (request, reply) => {
      const isForPrograms = request.url.startsWith(`${API_PREFIX}/`) || notKept.test(request.url);
      if (isForPrograms) return sendError(request, reply, notFound('This URL'));
      return sendMessage(request, reply, 'not-found');
    });
  });
}

async function visited(services: Services, request: FastifyRequest): Promise<Visit> {
  const host = hostName(request.host);
  const id = await requireSiteOfHost(services, host);
  attributeToTenant('site', id);
  return visitOf(request, { id, host }, undefined);
}

/** A preference page: GET shows it, POST submits its form. */
function pageHandlers(services: Services, render: Render) {
  async function sendPage(
    reply: FastifyReply,
    { visit, served }: Pick<OpenedPage, 'visit' | 'served'>,
    view: PageView,
    status = STEP_STATUS[view.step],
  ) {
    const document = await renderPage(services, render, visit.siteId, served, view);
    return sendDocument(reply, status, document, served.embedOrigins);
  }

  /** @param form the form that was sent, if it is one of the page's */
  async function openPage(request: PageRequest, form: Submission | null = null): Promise<OpenedPage> {
    const path = customPath.safeParse(onlyWordIn(request.params.custom_path));
    const visit = await visited(services, request);
    if (!path.success) throw notFound('This page');
    const named = form && (await pageOfForm(services, visit.siteId, form, path.data));
    const served = named ?? (await requirePageByPath(services, visit.siteId, path.data));
    const language = chooseLanguage(served.page.languages, wishedLanguages(request));
    return { served, language, visit: { ...visit, language } };
  }

  async function showPage(request: PageRequest, reply: FastifyReply) {
    const opened = await openPage(request);
    const { served, language, visit } = opened;
    const query = readQuery(request.query);
    return sendPage(reply, opened, await openedView(services, visit, served, language, query));
  }

  async function answerPage(request: PageRequest, reply: FastifyReply) {
    const submission = parseSubmission(bodyOf(request).fields);
    const opened = await openPage(request, submission);
    const { served, language } = opened;
    const sent = { ...opened, services, query: readQuery(request.query) };
    const view = submission && (await answer429(reply, opened, () => handleSubmission(sent, submission)));
    if (view === null) return sendPage(reply, opened, pageView(served, language, { step: 'not-found' }), 400);
    return sendPage(reply, opened, view, statusOf(view));
  }

  return { showPage, answerPage };
}

/** Shows rate limits in the design of the page. */
async function answer429(
  reply: FastifyReply,
  { served, language }: OpenedPage,
  answer: () => Promise<PageView | null>,
): Promise<PageView | null> {
  try {
    return await answer();
  } catch (error) {
    const problem = toAppError(error);
    if (problem.code !== 'rate_limited') throw error;
    if (problem.retryAfterSeconds !== null) reply.header('retry-after', String(problem.retryAfterSeconds));
    return pageView(served, language, { step: 'rate-limited' });
  }
}

/** Personal unsubscribe links. */
function linkHandlers(services: Services, send: Send, sendMessage: SendMessage) {
  async function openLink(request: LinkRequest) {
    const visit = await visited(services, request);
    const text = challengeIn(request.params.challenge);
    const link = readLeaveLink(services, visit.siteId, text);
    if (link === null) throw notFound('This link');
    const browserLanguages = wishedLanguages(request);
    const language = await landingLanguage(services, visit.siteId, browserLanguages);
    return { visit: { ...visit, language }, landing: { link, text, browserLanguages } };
  }

  async function showLink(request: LinkRequest, reply: FastifyReply) {
    const { visit, landing } = await openLink(request);
    return send(reply, await leaveView(services, visit.siteId, landing));
  }

  async function answerLink(request: LinkRequest, reply: FastifyReply) {
    const { oneClick: asked } = bodyOf(request);
    if (asked !== null) return oneClick(request, reply, asked);
    const { visit, landing } = await openLink(request);
    const submission = parseSubmission(bodyOf(request).fields);
    const view = submission && (await handleLanding(services, visit, landing, submission));
    if (view === null) return send(reply, await leaveView(services, visit.siteId, landing), 400);
    return send(reply, view, statusOf(view));
  }

  /**
   * RFC 8058: needs only the link, never redirects, and answers 200 where the person gets nothing from now on, whether they
   * did before or not; 503 on failure, so that the mail provider retries. A link not made here answers 404, and so does one
   * whose customer was erased without having left: nothing keeps their opt-out.
   */
  async function oneClick(request: LinkRequest, reply: FastifyReply, asked: OneClick) {
    try {
      const host = hostName(request.host);
      const siteId = await findSiteOfHost(services, host);
      const link = siteId === null ? null : readLeaveLink(services, siteId, request.params.challenge);
      if (siteId === null || link === null) {
        return await sendMessage(request, reply, 'not-found');
      }
      attributeToTenant('site', siteId);
      const visit = visitOf(request, { id: siteId, host }, undefined);
      const done =
        asked === 'leave'
          ? await leaveByLink(services, visit, link, 'one_click')
          : await reportWrongRecipient(services, visit, link);
      if (done === null && !(await wasErasedAsLeft(services, link))) {
        return await sendMessage(request, reply, 'not-found');
      }
      reply.type('text/plain; charset=utf-8').header('cache-control', 'no-store').serializer(String);
      return await reply.code(200).send(ONE_CLICK_DONE[asked]);
    } catch (error) {
      request.log.error({ err: error }, 'a one-click request failed');
      reply.type('text/plain; charset=utf-8').header('cache-control', 'no-store').serializer(String);
      return reply.code(503).header('retry-after', '60').send('Try again.\n');
    }
  }

  return { showLink, answerLink };
}

const bodyOf = (request: FastifyRequest) => (request.body as FormBody | undefined) ?? EMPTY_FORM;
