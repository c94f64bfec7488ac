import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TEMPLATE_IDS } from '#contract/preference-pages.ts';
import { loadRenderer, type Render } from '#server/visit/public-page/documents.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { PAGE_STATES, type PageState, stateNamed } from '#test/page/page-states.ts';
import { openStage } from '#test/page/stage.ts';

const BETWEEN_PIECES_MS = 30;

/** A browser may paint what it has, wherever that ends. */
const TAGS = /(?=<)/;

let browser: TestBrowser;
let server: Server;
let origin: string;
let html: string;

beforeAll(async () => {
  browser = await startBrowser();
  // A slow connection: the body comes tag by tag.
  server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    void sendInPieces(html, (piece) => response.write(piece)).then(() => response.end());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await browser.close();
  server.close();
});

async function sendInPieces(document: string, write: (piece: string) => void): Promise<void> {
  const body = document.indexOf('<body>');
  write(document.slice(0, body));
  for (const piece of document.slice(body).split(TAGS)) {
    write(piece);
    await sleep(BETWEEN_PIECES_MS);
  }
}

interface LayoutShift {
  value: number;
  sources: { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
}

interface Watched {
  /** What moved, from where to where, and how much that counts. */
  shifts: string[];
}

async function openWatched(): Promise<Page> {
  const page = await browser.open({ viewport: { width: 412, height: 823 } });
  await page.addInitScript(() => {
    const watched = globalThis as unknown as Watched;
    watched.shifts = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as unknown as LayoutShift[]) {
        const moved = entry.sources.map(
          ({ node, previousRect, currentRect }) =>
            `${(node as Element | null)?.className} from ${previousRect.y} to ${currentRect.y}`,
        );
        watched.shifts.push(`${entry.value.toFixed(4)}: ${moved.join(', ')}`);
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  return page;
}

function shiftsOn(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    for (const _ of [1, 2]) await new Promise((resolve) => requestAnimationFrame(resolve));
    return (globalThis as unknown as Watched).shifts;
  });
}

async function shiftsOf(document: string): Promise<string[]> {
  html = document;
  const page = await openWatched();
  await page.goto(origin);
  const shifts = await shiftsOn(page);
  await page.close();
  return shifts;
}

it.each(TEMPLATE_IDS)('a page of %s that arrives bit by bit never moves', async (template) => {
  const render: Render = await loadRenderer();
  const names = ['form', 'preferences', 'preferences, saved, without scripts', 'leave, undone', 'link-sent'];
  const states = PAGE_STATES.filter(({ name }) => names.includes(name));
  expect(states).toHaveLength(names.length);
  const moved: Record<string, string[]> = {};
  for (const { name, view } of states) {
    const shifts = await shiftsOf(render(view({ template, language: 'en' })));
    if (shifts.length > 0) moved[name] = shifts;
  }
  expect(moved).toEqual({});
});

it.each(TEMPLATE_IDS)(
  'the loader of %s gives way to the preferences, and nothing moves',
  async (template) => {
    const stage = await openStage();
    const page = await openWatched();
    const remembered = stateNamed('loading a remembered visitor');
    const arriving: PageState = {
      ...remembered,
      answers: {},
      reach: (window) => window.getByRole('switch').first().waitFor(),
    };
    await stage.show(page, arriving, { template, language: 'en' });
    expect(await shiftsOn(page)).toEqual([]);
    await page.context().close();
    await stage.close();
  },
);
