import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { type Language, LANGUAGES } from '#contract/fields.ts';
import { TEMPLATE_IDS } from '#contract/preference-pages.ts';
import { CHROMIUM_FLAGS } from '#test/harness/browser.ts';
import { untilStill } from '#test/harness/still.ts';
import { ensureChromium } from '../../scripts/chromium.mjs';
import { startFakes } from '../../scripts/fakes.mjs';
import { startDemo } from './demo.ts';
import { problemsOf, violationsOf } from './look-at.ts';
import { MAIL_STATES, type MailState } from './mails.ts';
import { showMail } from './mail-stage.ts';
import { ownerShots } from './owner-screens.ts';
import type { OwnerShot } from './owner-shot.ts';
import { problemsOfShot, showOwnerShot, storageOf } from './owner-stage.ts';
import { buildOwnerWorld, type Who } from './owner-world.ts';
import { HOSTILE_COLOURS, type Look, PAGE_STATES, type PageState, TELLING_STATES } from './page-states.ts';
import { openStage } from './stage.ts';

/*
 * `npm run catalogue`: pictures of every state of the public page in both templates and all languages, of every screen
 * of the owner app in the demo world, some of them in forced colours and printed, and of every mail, with a page to look
 * through them. Axe looks at all of it as well; a violation ends it with 1.
 * `npm run catalogue -- "email change"` takes only what has these words in its part and name; others are
 * "public page", "owner app", "owner app a customer" and "mails".
 */

const FOLDER = join(import.meta.dirname, '../../catalogue');
const HEIGHTS: Record<number, number> = { 360: 740, 768: 1024, 1280: 900 };

/** An A4 page's width at 96 dots per inch. */
const PAPER = 794;

const THEMES = ['light', 'dark'] as const;

type Theme = (typeof THEMES)[number];

/** How a window shows it, other than on an ordinary screen. */
type Medium = 'forced colours' | 'print';

/** One picture: what is on it, and the window it was taken in. */
interface Shot {
  group: string;
  name: string;
  look: string;
  width: number;
  theme: Theme;
  medium?: Medium;
  /** Whose window it is, where that matters. */
  who?: Who;
  /** As much as the window shows; else the page from end to end. */
  isInWindow?: boolean;
  take(page: Page): Promise<void>;
  /** What is wrong with it. */
  check(page: Page): Promise<string[]>;
}

interface Taken {
  file: string;
  shot: Shot;
}

const wordsOf = ({ group, name, look, width, theme }: Shot) => `${group} ${name} ${look} ${width} ${theme}`;

const hasAll = (text: string, words: string) => words.split(' ').every((word) => text.includes(word));

const slugOf = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-');

/** All of it, in a window as high as it is: what sticks to the window's end is then at the page's. */
async function pictureOf(page: Page, path: string, { isInWindow = false }: Shot): Promise<void> {
  if (isInWindow) {
    await page.screenshot({ path, type: 'jpeg', quality: 80 });
    return;
  }
  const { width, height } = page.viewportSize() ?? { width: 360, height: 740 };
  const whole = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width, height: Math.max(height, whole) });
  await untilStill(page);
  await page.screenshot({ path, type: 'jpeg', quality: 80, fullPage: true });
  await page.setViewportSize({ width, height });
}

async function takeShots(
  browser: Browser,
  shots: Shot[],
  openWindow: (context: BrowserContext) => Promise<Page>,
  optionsFor: (shot: Shot) => Promise<BrowserContextOptions> = async () => ({}),
): Promise<{ taken: Taken[]; problems: string[] }> {
  const taken: Taken[] = [];
  const problems: string[] = [];
  const windows = Map.groupBy(shots, ({ width, theme, medium, who }) => `${width} ${theme} ${medium} ${who}`);
  for (const together of windows.values()) {
    const [first] = together as [Shot];
    const { width, theme, medium } = first;
    const context = await browser.newContext({
      ...(await optionsFor(first)),
      viewport: { width, height: HEIGHTS[width] ?? 900 },
      colorScheme: theme,
      forcedColors: medium === 'forced colours' ? 'active' : 'none',
      locale: 'en-GB',
      reducedMotion: 'reduce',
    });
    const left = [...together];
    const oneWindow = async () => {
      const page = await openWindow(context);
      for (let shot = left.shift(); shot !== undefined; shot = left.shift()) {
        const title = `${shot.name} (${shot.look}, ${width} px, ${theme})`;
        try {
          await shot.take(page);
          const file = join(
            slugOf(shot.group),
            slugOf(shot.name),
            `${slugOf(shot.look)}-${width}-${theme}.jpg`,
          );
          mkdirSync(dirname(join(FOLDER, file)), { recursive: true });
          if (medium === 'print') await page.emulateMedia({ media: 'print' });
          await pictureOf(page, join(FOLDER, file), shot);
          await page.emulateMedia({ media: null });
          taken.push({ file, shot });
          problems.push(...(await shot.check(page)).map((violation) => `${title}: ${violation}`));
        } catch (error) {
          problems.push(`${title}: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
    };
    await Promise.all(Array.from({ length: Math.max(2, cpus().length) }, oneWindow));
    await context.close();
  }
  return { taken, problems };
}

/** The public page: all of it on a phone; on wider screens, in the dark and in hostile colours what tells most. */
async function takePublicPage(browser: Browser, words: string) {
  const stage = await openStage();
  const shotOf =
    (width: number, theme: Theme, scheme = 'own') =>
    (state: PageState, look: Look): Shot => ({
      group: 'public page',
      name: state.name,
      look: `${look.template} ${look.language} ${scheme}`,
      width,
      theme,
      take: (page) => stage.show(page, state, look),
      check: violationsOf,
    });
  const looks = (languages: readonly Look['language'][], colours: Partial<Look> = {}): Look[] =>
    TEMPLATE_IDS.flatMap((template) => languages.map((language) => ({ template, language, ...colours })));
  const product = (states: readonly PageState[], all: Look[], shot: ReturnType<typeof shotOf>) =>
    states
      .filter(({ name }) => `public page ${name}`.includes(words))
      .flatMap((state) => all.map((look) => shot(state, look)));

  const shots = [
    ...product(PAGE_STATES, looks(LANGUAGES), shotOf(360, 'light')),
    ...product(PAGE_STATES, looks(['en']), shotOf(1280, 'light')),
    ...product(TELLING_STATES, looks(['en']), shotOf(768, 'light')),
    ...product(TELLING_STATES, looks(['en']), shotOf(360, 'dark')),
    ...Object.entries(HOSTILE_COLOURS).flatMap(([scheme, colours]) =>
      product(TELLING_STATES, looks(['en'], { colours }), shotOf(360, 'light', scheme)),
    ),
  ];
  try {
    return await takeShots(browser, shots, (context) => stage.openWindow(context));
  } finally {
    await stage.close();
  }
}

const WINDOWS = [360, 768, 1280].flatMap((width) => THEMES.map((theme) => ({ width, theme })));

/** What an owner prints, and screens on which colour tells most. */
const MEDIA: Record<Medium, readonly string[]> = {
  'forced colours': [
    '/actions ready',
    '/dashboard ready',
    '/integrations ready',
    '/preference-pages ready',
    'a list ready',
    'a page ready',
  ],
  print: ['a customer ready', 'a delivery in test mode'],
};

function inOtherMedia(shot: OwnerShot): Pick<Shot, 'medium' | 'width' | 'theme'>[] {
  const media = (Object.keys(MEDIA) as Medium[]).filter((medium) =>
    MEDIA[medium].includes(`${shot.name} ${shot.state}`),
  );
  return media.flatMap((medium) =>
    THEMES.filter((theme) => medium !== 'print' || theme === 'dark').map((theme) => ({
      medium,
      width: medium === 'print' ? PAPER : 1280,
      theme,
    })),
  );
}

/** The owner app, in the demo world of a product of its own. */
async function takeOwnerApp(browser: Browser, words: string) {
  if (words !== '' && !words.startsWith('owner app')) return { taken: [], problems: [] };
  const fakes = await startFakes();
  const demo = await startDemo({ fakes });
  try {
    const world = await buildOwnerWorld(demo);
    const shots = ownerShots(world).flatMap((one) =>
      [
        ...WINDOWS.filter(({ width }) => one.width === undefined || one.width === width),
        ...inOtherMedia(one),
      ].map((window: Pick<Shot, 'medium' | 'width' | 'theme'>): Shot => ({
        group: 'owner app',
        name: one.name,
        look: ['en', one.state, window.medium].filter(Boolean).join(' '),
        ...window,
        who: one.who,
        isInWindow: one.isInWindow ?? false,
        take: (page) => showOwnerShot(page, demo, one),
        check: (page) => problemsOfShot(page, one),
      })),
    );
    return await takeShots(
      browser,
      shots.filter((shot) => hasAll(wordsOf(shot), words)),
      openWindow,
      async ({ who = 'nobody' }) => ({ storageState: await storageOf(demo, world, who) }),
    );
  } finally {
    await demo.stop();
    await fakes.stop();
  }
}

async function openWindow(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  return page;
}

/** Every mail in English and in one other language that it is written in. */
async function takeMails(browser: Browser, words: string) {
  const languagesOf = ({ languages }: MailState): readonly Language[] =>
    LANGUAGES.filter((one) => languages.includes(one) && (one === 'en' || one === 'de'));
  const shots = MAIL_STATES.filter(({ name }) => hasAll(`mails ${name}`, words)).flatMap((mail) =>
    languagesOf(mail).flatMap((language) =>
      WINDOWS.filter(({ width }) => width !== 768).map((window): Shot => ({
        group: 'mails',
        name: mail.name,
        look: language,
        ...window,
        take: (page) => showMail(page, mail.write(language)),
        check: problemsOf,
      })),
    ),
  );
  return takeShots(browser, shots, openWindow);
}

/** One page with all pictures, state by state, and a choice of what to see. */
function indexOf(taken: Taken[]): string {
  const figures = taken.map(({ file, shot }) => {
    const { name, look, width, theme } = shot;
    return `<figure data-words="${wordsOf(shot)}"><a href="${file}"><img src="${file}" loading="lazy" alt=""></a><figcaption>${name}<br>${look}, ${width} px, ${theme}</figcaption></figure>`;
  });
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Catalogue</title>
<style>body{font:14px system-ui;margin:24px}main{display:flex;flex-wrap:wrap;gap:16px}figure{margin:0;width:200px}img{width:100%;max-height:420px;object-fit:cover;object-position:top;border:1px solid #ccc}input{font:inherit;width:40em}</style>
<h1>${taken.length} pictures</h1><p><label>Show those with all these words: <input value="360 light en own default_preference_page"></label></p><main>${figures.join('')}</main>
<script>const box=document.querySelector('input');const show=()=>{const words=box.value.split(' ').filter(Boolean);for(const one of document.querySelectorAll('figure')){const own=one.dataset.words.split(' ');one.hidden=!words.every(word=>own.includes(word))}};box.oninput=show;show()</script>`;
}

const secondsSince = (then: number) => Math.round((performance.now() - then) / 1000);

async function main(words: string): Promise<number> {
  const began = performance.now();
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const browser = await chromium.launch({ executablePath: await ensureChromium(), args: CHROMIUM_FLAGS });
  const parts: Awaited<ReturnType<typeof takeShots>>[] = [];
  for (const take of [takePublicPage, takeOwnerApp, takeMails]) {
    const since = performance.now();
    const part = await take(browser, words);
    parts.push(part);
    if (part.taken.length > 0)
      console.log(
        `${part.taken.length} pictures of the ${part.taken[0]?.shot.group} in ${secondsSince(since)} s`,
      );
  }
  await browser.close();
  const taken = parts.flatMap((part) => part.taken);
  const problems = parts.flatMap((part) => part.problems);
  const inOrder = taken.toSorted((one, other) => one.file.localeCompare(other.file));
  writeFileSync(join(FOLDER, 'index.html'), indexOf(inOrder));
  for (const problem of problems) console.error(problem);
  console.log(
    `${taken.length} pictures in ${secondsSince(began)} s, ${problems.length} problems: ${join(FOLDER, 'index.html')}`,
  );
  return problems.length === 0 && taken.length > 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2).join(' '));
