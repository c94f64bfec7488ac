import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { scaled } from '#test/harness/scale.ts';
import { type Demo, startDemo } from '#test/page/demo.ts';
import { ownerShots } from '#test/page/owner-screens.ts';
import type { OwnerShot } from '#test/page/owner-shot.ts';
import { problemsOfShot, showOwnerShot, storageOf } from '#test/page/owner-stage.ts';
import { buildOwnerWorld, type OwnerWorld, type Who } from '#test/page/owner-world.ts';
import { startFakes } from '../../scripts/fakes.mjs';

/** Each run looks at every eighth state of a screen, `TEST_SCALE=8` at all of them. */
const STATES = 1 / 8;

/*
 * Each state is looked at in one of these; over its states, a screen is seen in both themes and at both widths.
 * `npm run catalogue` looks at the whole product.
 */
const LOOKS = [
  { width: 360, height: 740, colorScheme: 'light' },
  { width: 1280, height: 900, colorScheme: 'dark' },
  { width: 360, height: 740, colorScheme: 'dark' },
  { width: 1280, height: 900, colorScheme: 'light' },
] as const;

const WINDOWS = 3;
const LONG_MS = 1_200_000;

let fakes: Awaited<ReturnType<typeof startFakes>>;
let demo: Demo;
let browser: TestBrowser;
let world: OwnerWorld;
let shots: OwnerShot[];

beforeAll(async () => {
  fakes = await startFakes();
  demo = await startDemo({ fakes });
  world = await buildOwnerWorld(demo);
  shots = ownerShots(world);
  browser = await startBrowser();
}, LONG_MS);

afterAll(async () => {
  await browser.close();
  await demo.stop();
  await fakes.stop();
});

interface Scene {
  name: string;
  look: (typeof LOOKS)[number];
  shot: OwnerShot;
}

/** The states of one screen take turns, and begin elsewhere than those of the screen before. */
function scenesOf(all: readonly OwnerShot[]): Scene[] {
  const every = Math.max(1, Math.round(1 / (STATES * scaled(1))));
  return [...Map.groupBy(all, ({ name }) => name).values()].flatMap((states, place) =>
    states
      .filter((_, turn) => turn % every === 0)
      .map((shot, turn): Scene => {
        const looks = LOOKS.filter(({ width }) => shot.width === undefined || shot.width === width);
        const look = looks[(place + turn) % looks.length] ?? LOOKS[0];
        return { name: `${shot.name}, ${shot.state}`, look, shot };
      }),
  );
}

async function problemsIn(page: Page, { look, shot }: Scene): Promise<string[]> {
  const { colorScheme, ...size } = look;
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme });
  await showOwnerShot(page, demo, shot);
  return problemsOfShot(page, shot);
}

/** What is wrong with them, by scene; each person has windows of their own. */
async function lookAt(scenes: readonly Scene[]): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const [who, all] of Map.groupBy(scenes, ({ shot }) => shot.who)) await lookAs(who, all, found);
  return found;
}

async function lookAs(who: Who, scenes: Scene[], found: Record<string, string[]>): Promise<void> {
  const storageState = await storageOf(demo, world, who);
  const first = await browser.open({ storageState });
  const left = [...scenes];
  async function oneWindow(page: Page) {
    for (let scene = left.shift(); scene !== undefined; scene = left.shift()) {
      const { name, look } = scene;
      const title = `${name} (${look.width} px, ${look.colorScheme})`;
      const problems = await problemsIn(page, scene).catch((error: Error) => [error.message]);
      if (problems.length > 0) found[title] = problems;
    }
  }
  const others = Array.from({ length: WINDOWS - 1 }, () => first.context().newPage());
  await Promise.all([first, ...(await Promise.all(others))].map(oneWindow));
  await first.context().close();
}

it(
  'every screen of the owner app in its states, and everything that opens over it, has no violation and fits (spec 81)',
  async () => {
    const scenes = scenesOf(shots);
    expect(await lookAt(scenes)).toEqual({});
    expect(new Set(scenes.map(({ look }) => look)).size).toBe(LOOKS.length);
    expect(browser.problems.filter((problem) => problem.includes('Content Security Policy'))).toEqual([]);
  },
  LONG_MS,
);
