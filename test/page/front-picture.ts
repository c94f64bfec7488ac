import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { listActions, updateAction } from '#contract/actions.ts';
import { getCustomerLists, listCustomers, mintLinks } from '#contract/customers.ts';
import { listDeliveries } from '#contract/deliveries.ts';
import { type Caller, callsTo } from '#test/harness/product.ts';
import { untilStill } from '#test/harness/still.ts';
import { type Demo, keepLoggedIn, until } from './demo.ts';
import { interFace, setInProductFont } from './product-font.ts';

/*
 * The animated picture of the README: a customer of the demo switches two lists off, both tools show the change, and
 * the evidence is on record. Everything in it is photographed in the running product; the stage only arranges it.
 */

const ROOT = join(import.meta.dirname, '../..');
const SCALE = 2;
const PAGE = { width: 430, height: 672 };
/** How wide the customer's timeline is drawn, in a window wide enough for facts in two columns. */
const TIMELINE_WIDTH = 496;
const SWITCHED_OFF = ['Weekly news', 'Offers'];
const SHOWN_FACTS = ['When', 'How', 'Identified by', 'Email at that time', 'What changed', 'Hash'];

interface Site {
  organization_id: string;
  site_id: string;
}

interface Shots {
  /** The page untouched, with one switch off, with two off, and saved. */
  page: [Buffer, Buffer, Buffer, Buffer];
  /** Where the switches and the button are in it. */
  targets: { weekly: Point; offers: Point; save: Point };
  deliveries: Shot;
  evidence: Shot;
}

interface Shot {
  image: Buffer;
  width: number;
  height: number;
  /** Where each of its parts begins, from the top; they appear one after the other. */
  parts: number[];
}

interface Point {
  x: number;
  y: number;
}

export interface FrontPicture {
  moving: Buffer;
  /** The last scene, for readers who asked for less motion. */
  still: Buffer;
}

/** Takes it; the demo needs the stand-ins of the email tools. */
export async function takeFrontPicture(
  browser: Browser,
  demo: Demo,
  site: { params: Site; owner: Caller },
): Promise<FrontPicture> {
  const shots = await takeShots(browser, demo, site);
  return film(browser, shots);
}

async function takeShots(
  browser: Browser,
  demo: Demo,
  { params, owner }: { params: Site; owner: Caller },
): Promise<Shots> {
  const { call } = callsTo(demo.url);
  // Nobody listens at the demo's webhook: its delivery would wait for days.
  const { results: actions } = await call(listActions, { params }, owner);
  for (const { id, type } of actions) {
    if (type === 'webhook') {
      await call(updateAction, { params: { ...params, id }, body: { enabled: false } }, owner);
    }
  }
  const customer = await findReader(demo, { params, owner });
  const link = { params: { ...params, id: customer.id }, body: { custom_path: 'preferences' } };
  const { preference_url: url } = await call(mintLinks, link, owner);
  const visit = await takeVisit(browser, url);
  const query = { customer_id: customer.id, status: 'waiting' } as const;
  const isDelivered = async () => (await call(listDeliveries, { params, query }, owner)).results.length === 0;
  await until(isDelivered, 'the deliveries have arrived');
  return { ...visit, ...(await takeTimeline(browser, demo, customer.id)) };
}

/** Somebody who has something to switch off: who does changes with the day on which the demo is made. */
async function findReader(demo: Demo, { params, owner }: { params: Site; owner: Caller }) {
  const { call } = callsTo(demo.url);
  const { results: customers } = await call(listCustomers, { params, query: { limit: 100 } }, owner);
  for (const customer of customers.filter((one) => !one.global_unsubscribe)) {
    const { results } = await call(getCustomerLists, { params: { ...params, id: customer.id } }, owner);
    const names = results.filter(({ subscribed }) => subscribed).map(({ name }) => name);
    if (SWITCHED_OFF.every((name) => names.includes(name))) return customer;
  }
  throw new Error('Nobody in the demo world reads what the front picture switches off');
}

async function takeVisit(browser: Browser, url: string): Promise<Pick<Shots, 'page' | 'targets'>> {
  const context = await openContext(browser, PAGE);
  try {
    const page = await context.newPage();
    await page.goto(url);
    const weekly = page.getByRole('switch', { name: /Weekly news/ });
    const offers = page.getByRole('switch', { name: /Offers/ });
    const save = page.getByRole('button', { name: 'Save' });
    await weekly.waitFor();
    await page.waitForLoadState('networkidle');
    await setInProductFont(page);
    const targets = {
      weekly: await middleOf(weekly),
      offers: await middleOf(offers),
      save: await middleOf(save),
    };
    const untouched = await shoot(page);
    await weekly.click();
    const one = await shoot(page);
    await offers.click();
    const two = await shoot(page);
    await save.click();
    await page.getByText('Your preferences have been saved').waitFor();
    return { page: [untouched, one, two, await shoot(page)], targets };
  } finally {
    await context.close();
  }
}

async function takeTimeline(
  browser: Browser,
  demo: Demo,
  customerId: string,
): Promise<Pick<Shots, 'deliveries' | 'evidence'>> {
  const context = await openContext(browser, { width: 720, height: 2000 });
  try {
    await keepLoggedIn(context, demo);
    const page = await context.newPage();
    await page.goto(`${demo.url}/customers/${customerId}`);
    const timeline = page.getByRole('list', { name: 'Timeline' });
    const choice = timeline.getByRole('listitem').first();
    await choice.getByRole('button').first().click();
    await choice.getByText(/^Delivered: Mailchimp/).waitFor();
    await page.addStyleTag({ content: `ol { width: ${TIMELINE_WIDTH}px }` });
    const facts = choice.locator('dl');
    const found = await facts.evaluate((list, shown) => {
      const isShown = (fact: Element) => shown.includes(fact.querySelector('dt')?.textContent ?? '');
      const others = [...list.children].filter((fact) => !isShown(fact));
      for (const fact of others) fact.setAttribute('style', 'display: none');
      return list.childElementCount - others.length;
    }, SHOWN_FACTS);
    if (found !== SHOWN_FACTS.length) throw new Error('The evidence has other names for its facts');
    const deliveries = page.getByRole('list', { name: 'Deliveries' });
    // Without what surrounds them in the timeline: each has a card of its own on the stage.
    await choice
      .locator('dl')
      .locator('..')
      .evaluate((card) => card.setAttribute('style', 'border: 0; padding: 4px'));
    await choice
      .getByRole('button')
      .first()
      .evaluate((head) => head.setAttribute('style', 'background: none'));
    return {
      deliveries: await shootPart(page, choice, deliveries, deliveries.getByRole('listitem')),
      evidence: await shootPart(page, facts, facts, facts.locator('dt', { hasText: /^Hash$/ })),
    };
  } finally {
    await context.close();
  }
}

/** From the top of one element to the end of another. */
async function shootPart(page: Page, from: Locator, to: Locator, parts: Locator): Promise<Shot> {
  const top = await boxOf(from);
  const end = await boxOf(to);
  const height = end.y + end.height - top.y;
  const clip = { x: top.x, y: top.y, width: top.width, height };
  const boxes = await Promise.all((await parts.all()).map(boxOf));
  return {
    image: await shoot(page, clip),
    width: clip.width,
    height,
    parts: boxes.map(({ y }) => y - top.y),
  };
}

async function boxOf(element: Locator) {
  const box = await element.boundingBox();
  if (box === null) throw new Error('What the front picture is to show is not there');
  return box;
}

async function middleOf(element: Locator): Promise<Point> {
  const { x, y, width, height } = await boxOf(element);
  return { x: x + width / 2, y: y + height / 2 };
}

async function shoot(page: Page, clip?: { x: number; y: number; width: number; height: number }) {
  await untilStill(page);
  return page.screenshot(clip === undefined ? {} : { clip });
}

function openContext(browser: Browser, viewport: { width: number; height: number }): Promise<BrowserContext> {
  return browser.newContext({
    viewport,
    deviceScaleFactor: SCALE,
    colorScheme: 'light',
    locale: 'en-GB',
    reducedMotion: 'reduce',
    bypassCSP: true,
  });
}

const STAGE = { width: 960, height: 656 };
/** Of the page's window on the stage. */
const ZOOM = 0.8;
const LEFT = 40;
const TOP = 76;

/** The times of what happens, in milliseconds. */
const AT = {
  weekly: 1400,
  offers: 2300,
  save: 3300,
  saved: 3500,
  deliveries: 4100,
  evidence: 6200,
  end: 10_600,
};
const FRAME_MS = 66;
/** In these spans something moves. */
const MOVES = [
  [700, AT.saved + 200],
  [AT.deliveries, AT.deliveries + 1500],
  [AT.evidence, AT.evidence + 1100],
  [AT.end - 400, AT.end],
] as const;

async function film(browser: Browser, shots: Shots): Promise<FrontPicture> {
  const context = await openContext(browser, STAGE);
  try {
    const page = await context.newPage();
    await page.setContent(stageFor(shots));
    await page.evaluate(() => document.fonts.ready);
    const frames: { png: Buffer; ms: number }[] = [];
    for (const [at, ms] of frameTimes()) {
      await showAt(page, shots, at);
      const png = await page.screenshot();
      const last = frames.at(-1);
      if (last?.png.equals(png)) last.ms += ms;
      else frames.push({ png, ms });
    }
    await showAt(page, shots, AT.end - 500);
    const still = await page.screenshot();
    return { moving: await joinFrames(frames), still: await sharp(still).webp({ quality: 90 }).toBuffer() };
  } finally {
    await context.close();
  }
}

/** Each with how long it stays. */
function frameTimes(): [number, number][] {
  const times: number[] = [0];
  for (const [from, to] of MOVES) for (let at = from; at <= to; at += FRAME_MS) times.push(at);
  return times.map((at, index) => [at, (times[index + 1] ?? AT.end) - at]);
}

async function joinFrames(frames: { png: Buffer; ms: number }[]): Promise<Buffer> {
  return sharp(
    frames.map(({ png }) => png),
    { join: { animated: true } },
  )
    .webp({ quality: 82, effort: 4, loop: 0, delay: frames.map(({ ms }) => Math.max(ms, 20)) })
    .toBuffer();
}

/** From 0 to 1 while a movement lasts, slower towards its end. */
function progress(at: number, start: number, ms: number): number {
  const linear = Math.min(Math.max((at - start) / ms, 0), 1);
  return 1 - (1 - linear) ** 3;
}

async function showAt(page: Page, shots: Shots, at: number): Promise<void> {
  const styles: Record<string, Record<string, string>> = {};
  const fade = progress(at, AT.end - 400, 380);
  const appear = (start: number) => progress(at, start, 300) * (1 - fade);
  const on = (start: number) => String(progress(at, start, 130) * (1 - fade));
  styles['page-1'] = { opacity: on(AT.weekly) };
  styles['page-2'] = { opacity: on(AT.offers) };
  styles['page-3'] = { opacity: on(AT.saved) };
  for (const [name, begin] of [
    ['deliveries', AT.deliveries],
    ['evidence', AT.evidence],
  ] as const) {
    const there = appear(begin);
    styles[name] = { opacity: String(there), transform: `translateY(${(1 - there) * 10}px)` };
    styles[`step-${name}`] = { opacity: String(0.45 + 0.55 * there) };
    shots[name].parts.forEach((_, index) => {
      styles[`${name}-${index}`] = { opacity: String(1 - appear(begin + 450 + index * 400)) };
    });
  }
  styles['pointer'] = pointerAt(shots, at, 1 - fade);
  await page.evaluate((all) => {
    for (const [id, style] of Object.entries(all)) {
      Object.assign(document.getElementById(id)?.style ?? {}, style);
    }
  }, styles);
}

function pointerAt({ targets }: Shots, at: number, opacity: number): Record<string, string> {
  const stops: [number, Point][] = [
    [700, { x: PAGE.width * 0.62, y: PAGE.height + 40 }],
    [AT.weekly - 150, targets.weekly],
    [AT.weekly + 250, targets.weekly],
    [AT.offers - 150, targets.offers],
    [AT.offers + 250, targets.offers],
    [AT.save - 150, targets.save],
  ];
  let place = stops[0]?.[1] ?? targets.save;
  stops.forEach(([end, to], index) => {
    const [start, from] = stops[index - 1] ?? [end, to];
    if (at < start) return;
    const part = progress(at, start, Math.max(end - start, 1));
    place = { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
  });
  const pressed = [AT.weekly, AT.offers, AT.save].some((press) => at >= press - 60 && at < press + 140);
  return {
    left: `${LEFT + place.x * ZOOM}px`,
    top: `${TOP + place.y * ZOOM}px`,
    opacity: String(progress(at, 700, 200) * opacity * (1 - progress(at, AT.deliveries, 200))),
    transform: `scale(${pressed ? 0.82 : 1})`,
  };
}

const urlOf = (image: Buffer) => `data:image/png;base64,${image.toString('base64')}`;

function stageFor({ page, deliveries, evidence }: Shots): string {
  const tokens = readFileSync(join(ROOT, 'web/ui/tokens.css'), 'utf8').replace(/@theme[^]*$/, '');
  const size = `width: ${PAGE.width * ZOOM}px; height: ${PAGE.height * ZOOM}px`;
  const views = page.map((image, index) => `<img id="page-${index}" src="${urlOf(image)}" style="${size}">`);
  return `<!doctype html><html data-theme="light"><meta charset="utf-8"><style>${interFace()} ${tokens} ${STAGE_CSS}</style>
    <div class="step" style="left: ${LEFT}px; top: 36px">${stepHead(1, 'A customer chooses, on your page')}</div>
    <div class="window" style="left: ${LEFT}px; top: ${TOP}px; ${size}">${views.join('')}</div>
    <div class="column">
      <section><div class="step" id="step-deliveries">${stepHead(2, 'Your email tools follow within seconds')}</div>
        ${cardFor('deliveries', deliveries)}</section>
      <section><div class="step" id="step-evidence">${stepHead(3, 'The evidence stays')}</div>
        ${cardFor('evidence', evidence)}</section>
    </div>
    <svg id="pointer" width="26" height="26" viewBox="0 0 24 24"><path d="M5 2.5v17l4.6-4.2 2.9 6.4 3-1.4-2.9-6.2h6.3z"/></svg>`;
}

const stepHead = (number: number, words: string) => `<b>${number}</b>${words}`;

function cardFor(name: 'deliveries' | 'evidence', { image, width, height, parts }: Shot): string {
  const covers = parts.map((top, index) => {
    const bottom = parts[index + 1] ?? height;
    return `<i id="${name}-${index}" style="top: ${top}px; height: ${bottom - top}px"></i>`;
  });
  return `<div class="place"><div class="card" id="${name}"><div style="width: ${width}px; height: ${height}px">
    <img src="${urlOf(image)}" width="${width}" height="${height}">${covers.join('')}</div></div></div>`;
}

const STAGE_CSS = `
  * { box-sizing: border-box; margin: 0 }
  body { width: ${STAGE.width}px; height: ${STAGE.height}px; background: var(--accent-soft); color: var(--ink);
    font: 600 15px/24px Inter; letter-spacing: -0.01em; overflow: hidden; position: relative }
  img { display: block }
  .step { display: flex; align-items: center; gap: 10px; height: 24px; white-space: nowrap }
  .step b { display: grid; place-items: center; width: 24px; height: 24px; border-radius: 12px; font-size: 13px;
    background: var(--accent); color: var(--on-accent) }
  body > .step, .window, .column, #pointer { position: absolute }
  .window { overflow: hidden; border-radius: 14px; box-shadow: 0 0 0 1px var(--line), var(--lift) }
  .window img { position: absolute; inset: 0 }
  .column { left: 424px; top: 36px; width: ${TIMELINE_WIDTH}px; height: ${TOP - 36 + PAGE.height * ZOOM}px;
    display: flex; flex-direction: column; justify-content: space-between }
  .column .step { margin-bottom: 16px }
  .place { border-radius: 12px; background: color-mix(in srgb, var(--surface) 45%, transparent) }
  .card { overflow: hidden; border-radius: 12px; background: var(--surface);
    box-shadow: 0 0 0 1px var(--line), var(--lift) }
  .card > div { position: relative }
  .card i { position: absolute; left: 0; width: 100%; background: var(--surface) }
  #deliveries { padding: 4px 0 16px }
  #evidence { padding: 16px 20px }
  #pointer path { fill: var(--ink); stroke: var(--surface); stroke-width: 1.5; stroke-linejoin: round }
`;
