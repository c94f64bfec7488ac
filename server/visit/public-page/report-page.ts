import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { MAX_REPORT_DETAILS, REPORT_REASONS } from '#contract/abuse-reports.ts';
import { isEmail } from '#contract/email-address.ts';
import { fileReport } from '#server/accounts/abuse-reports/abuse-reports.ts';
import { isScript } from '#server/audience/machines/user-agents.ts';
import type { Visit } from '#server/audience/evidence/visit.ts';
import { requirePageByPath } from '#server/pages/preference-pages/public-pages.ts';
import { siteUrl } from '#server/platform/config.ts';
import type { Services } from '#server/platform/services.ts';
import { storable } from '#server/platform/storable.ts';
import { FIELD, type PageView, type ReportView } from '#web/page/view.ts';
import { EMPTY_FORM, type FormBody } from './form-body.ts';
import { messageView } from './page-views.ts';

type ReportRequest = FastifyRequest<{ Params: { custom_path: string } }>;

interface Host {
  options: RouteShorthandOptions;
  visited: (request: FastifyRequest) => Promise<Visit>;
  languagesOf: (request: FastifyRequest) => readonly string[];
  send: (reply: FastifyReply, view: PageView, status?: number) => Promise<FastifyReply>;
}

/** The form that reports a page to the operator of the service. Opening it is read-only. */
export function reportRoutes(scope: FastifyInstance, services: Services, host: Host): void {
  const { options, send } = host;

  async function opened(request: ReportRequest) {
    const visit = await host.visited(request);
    const { customPath } = await requirePageByPath(services, visit.siteId, request.params.custom_path);
    const blank = messageView('report', host.languagesOf(request));
    const url = `${siteUrl(services.config, visit.host)}/${customPath}`;
    const viewOf = (parts: Partial<ReportView>): PageView => ({
      ...blank,
      report: { ...EMPTY_REPORT, url, action: `/report/${customPath}`, ...parts },
    });
    return { visit, customPath, language: blank.language, viewOf };
  }

  scope.get('/report/:custom_path', options, async (request: ReportRequest, reply) =>
    send(reply, (await opened(request)).viewOf({})),
  );

  scope.post('/report/:custom_path', options, async (request: ReportRequest, reply) => {
    const { visit, customPath, language, viewOf } = await opened(request);
    const written = readReport(request.body as FormBody | undefined);
    const { reason, text, email } = written;
    if (reason === null) return send(reply, viewOf({ ...written, problem: 'reason' }), 422);
    if (email !== '' && !isEmail(email)) return send(reply, viewOf({ ...written, problem: 'email' }), 422);
    if (!isScript(visit.userAgent ?? '')) {
      const { host: name } = visit;
      await fileReport(services, visit, { host: name, path: customPath, reason, text, email, language });
    }
    return send(reply, viewOf({ done: true }));
  });
}

const EMPTY_REPORT: Omit<ReportView, 'url' | 'action'> = {
  reason: null,
  text: '',
  email: '',
  problem: null,
  done: false,
};

function readReport({ fields }: FormBody = EMPTY_FORM): Pick<ReportView, 'reason' | 'text' | 'email'> {
  const first = (name: string) => storable(fields[name]?.[0] ?? '').trim();
  return {
    reason: REPORT_REASONS.find((one) => one === first(FIELD.reason)) ?? null,
    text: first(FIELD.text).slice(0, MAX_REPORT_DETAILS).toWellFormed(),
    email: first(FIELD.email).slice(0, 254),
  };
}
