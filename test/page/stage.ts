import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import fastify from 'fastify';
import type { BrowserContext, Page } from 'playwright-core';
import { splitAtNonce, loadRenderer, sendDocument } from '#server/visit/public-page/documents.ts';
import { TIMEOUT_MS } from '#test/harness/browser.ts';
import { untilStill } from '#test/harness/still.ts';
import type { PageView } from '#web/page/view.ts';
import { type Answer, LOGO_PATH, type Look, PAGE_CUSTOMER, type PageState, textsFor } from './page-states.ts';

const ASSETS = join(import.meta.dirname, '../../dist/page/assets');

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" width="160" height="48"><path fill="#1F6F5C" d="M0 48 40 0l40 48zM72 48l28-30 28 30z"/></svg>';

/** Shows states as the product does: the built renderer and script, with its headers and policy. */
export interface Stage {
  /** A window that remembers nobody. */
  openWindow(context: BrowserContext): Promise<Page>;
  /**
   * Puts a state on in a window; resolves when a visitor would see it.
   * @param onceAlive runs as soon as the page's script has taken over
   */
  show(page: Page, state: PageState, look: Look, onceAlive?: (page: Page) => Promise<void>): Promise<void>;
  /** Gives the state that a window shows other colours, as though it had come in them. */
  recolour(page: Page, state: PageState, look: Look): Promise<void>;
  close(): Promise<void>;
}

/** Opens the stage; `npm run build` has to have run. */
export async function openStage(): Promise<Stage> {
  const render = await loadRenderer();
  const documents = new Map<string, string>();
  const server = fastify();
  const waiting = new WeakSet<Page>();
  let shown = 0;
  await server.register(fastifyStatic, { root: ASSETS, prefix: '/assets/' });
  server.get<{ Params: { id: string } }>('/view/:id', (request, reply) =>
    sendDocument(reply, 200, splitAtNonce(documents.get(request.params.id) ?? '')),
  );
  server.get(LOGO_PATH, (_, reply) => reply.type('image/svg+xml').send(LOGO));
  server.get('/nothing', (_, reply) =>
    reply.type('text/html').send('<!doctype html><link rel="icon" href="data:,">'),
  );
  const origin = await server.listen({ port: 0, host: '127.0.0.1' });

  return {
    async openWindow(context) {
      const page = await context.newPage();
      page.setDefaultTimeout(TIMEOUT_MS);
      await page.addInitScript(() => localStorage.clear());
      return page;
    },
    async show(page, state, look, onceAlive) {
      const id = String((shown += 1));
      const view = state.view(look);
      const html = render(view);
      documents.set(id, state.isPlain === true ? withoutScripts(html) : html);
      // What the calls of the state before still wait for must not reach this one.
      if (waiting.delete(page)) await page.goto(`${origin}/nothing`);
      if (Object.values(state.answers ?? {}).includes('never')) waiting.add(page);
      await page.unrouteAll();
      if (state.reach) await page.route('**/api/**', (route) => answerAs(state, view, route));
      await page.goto(`${origin}/view/${id}`);
      documents.delete(id);
      await untilHydrated(page);
      await onceAlive?.(page);
      await state.reach?.(page, textsFor(look));
      await untilStill(page);
    },
    async recolour(page, state, look) {
      const { colours, ...plain } = look;
      const [wanted, usual] = [render(state.view(look)), render(state.view(plain))].map(splitAtColours);
      if (wanted?.rest !== usual?.rest) throw new Error('Colours change more of a page than its one rule');
      await page.evaluate(recolourDocument, wanted?.rule ?? '');
      await untilStill(page);
    },
    close: () => server.close(),
  };
}

/** An owner's colours are one rule of the document; what the script gets to know of them is not seen. */
function splitAtColours(html: string): { rule: string; rest: string } {
  const rule = /<style [^>]*>(:root\{[^<]*\})<\/style>/.exec(html)?.[1];
  if (rule === undefined) throw new Error('The page has no rule with its colours');
  const rest = html.replace(rule, '').replace(/<script type="application\/json"[^]*?<\/script>/, '');
  return { rule, rest };
}

function recolourDocument(rule: string): void {
  const tags = [...document.querySelectorAll('style')];
  const tag = tags.find((one) => one.textContent.startsWith(':root{color-scheme'));
  if (tag === undefined) throw new Error('The page has no rule with its colours');
  tag.textContent = rule;
  if (tag.sheet?.cssRules.length !== 1) throw new Error('The policy of the page refused the colours');
}

const withoutScripts = (html: string) => html.replace(/<script[^]*?<\/script>/g, '');

type Route = Parameters<Parameters<Page['route']>[1]>[0];

async function answerAs(state: PageState, view: PageView, route: Route): Promise<void> {
  const request = route.request();
  const answer =
    state.answers?.[request.method()] ?? usualAnswer(view, request.method(), request.postDataJSON());
  if (answer === 'never') return;
  if (answer === 'no connection') await route.abort('internetdisconnected');
  else await route.fulfill({ status: answer.status, json: answer.body });
}

/** What the API answers when all is well; a personal link stays one. */
function usualAnswer({ customer: shown }: PageView, method: string, body: unknown): Answer {
  const { lists, pending, ...nora } = PAGE_CUSTOMER;
  const customer = { ...nora, level: shown?.level ?? nora.level };
  const receipt = 'receipt';
  if (method === 'PUT') {
    const saved = { choice_id: null, global_unsubscribe: false, lists: body, ignored: [], receipt, pending };
    return { status: 200, body: { ...saved, customer } };
  }
  if (method === 'PATCH') {
    return { status: 200, body: { ...customer, ...patched(body as object), receipt, pending } };
  }
  if (method === 'POST') return { status: 200, body: customer };
  return { status: 200, body: { customer, lists, pending, state: 'none' } };
}

function patched(body: object) {
  return 'pause_days' in body ? { global_unsubscribe: true, paused_until: '2027-01-20T09:00:00.000Z' } : body;
}

/** The script, where there is one, has taken the server's HTML over. */
async function untilHydrated(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const hasScript = document.querySelector('script[src]') !== null;
    const last = [...(document.querySelector('#page')?.querySelectorAll('*:not(font)') ?? [])].at(-1);
    return !hasScript || (last !== undefined && Object.keys(last).some((key) => key.startsWith('__react')));
  });
}
