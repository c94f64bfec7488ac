import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const DIST = join(import.meta.dirname, '../dist/owner');
const PAGE_DIST = join(import.meta.dirname, '../dist/page');
const MOST_BYTES = 200 * 1024;
/** What a customer's phone loads for a preference page. React alone is 67 and 58 kB. */
const MOST_PAGE_BYTES = { gzip: 80_000, brotli: 68_000 };

interface Chunk {
  file: string;
  imports?: string[];
  isDynamicEntry?: boolean;
}

const manifestOf = (dist: string) =>
  JSON.parse(readFileSync(join(dist, 'manifest.json'), 'utf8')) as Record<string, Chunk>;

const manifest = manifestOf(DIST);

function chunkOf(key: string): Chunk {
  const chunk = manifest[key];
  if (chunk === undefined) throw new Error(`${key} is not in the built app`);
  return chunk;
}

/** All that is loaded for these files, each once. */
function loadedWith(keys: string[]): string[] {
  const files = new Set<string>();
  const waiting = [...keys];
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    const { file, imports = [] } = chunkOf(key);
    if (!files.has(file)) waiting.push(...imports);
    files.add(file);
  }
  return [...files];
}

function gzipped(file: string): number {
  const path = join(DIST, file);
  const made = `${path}.gz`;
  return existsSync(made) ? readFileSync(made).length : gzipSync(readFileSync(path), { level: 9 }).length;
}

const DASHBOARD = [
  'index.html',
  'shell/Shell.tsx',
  'screens/dashboard/DashboardScreen.tsx',
  ...['ui', 'shell', 'dashboard', 'figures'].map((name) => `locales/en/${name}.json`),
];

it('the dashboard loads at most 200 kB of compressed script at first', () => {
  const sizes = loadedWith(DASHBOARD).map((file) => ({ file, bytes: gzipped(file) }));
  const sum = sizes.reduce((bytes, one) => bytes + one.bytes, 0);
  const largest = sizes.toSorted((a, b) => b.bytes - a.bytes).slice(0, 8);
  expect(sum, JSON.stringify(largest, null, 1)).toBeLessThanOrEqual(MOST_BYTES);
  expect(sum).toBeGreaterThan(50_000);
});

it('script that is loaded later is compiled then, and that of the start when it is called', () => {
  const start = loadedWith(['index.html']);
  const later = Object.keys(manifest)
    .filter((key) => key.endsWith('Screen.tsx'))
    .map((key) => chunkOf(key).file)
    .filter((file) => !start.includes(file));
  const isMarked = (file: string) =>
    readFileSync(join(DIST, file), 'utf8').startsWith('//# allFunctionsCalledOnLoad\n');
  expect(start.filter(isMarked)).toEqual([]);
  expect(later.length).toBeGreaterThan(20);
  expect(later.filter((file) => !isMarked(file))).toEqual([]);
});

it('the connectors’ German texts come with the screens that need them', () => {
  const first = loadedWith([...DASHBOARD, ...DASHBOARD.map((key) => key.replace('/en/', '/de/'))]);
  const texts = chunkOf('locales/de/connectors.json');
  expect(texts.isDynamicEntry).toBe(true);
  expect(first).not.toContain(texts.file);
});

it('the script of the public page is at most 80 kB gzipped and 68 kB in brotli; rare parts come later', () => {
  const chunks = manifestOf(PAGE_DIST);
  const client = chunks['web/page/client.tsx'];
  const code = readFileSync(join(PAGE_DIST, client?.file ?? ''));
  expect(client?.imports ?? []).toEqual([]);
  expect(chunks['web/page/parts.ts']?.isDynamicEntry).toBe(true);
  expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(MOST_PAGE_BYTES.gzip);
  expect(brotliCompressSync(code).length).toBeLessThanOrEqual(MOST_PAGE_BYTES.brotli);
});

it('every screen of the router, the palette and the menus are loaded when they are requested', () => {
  const owner = join(import.meta.dirname, '../web/owner');
  const routes = readdirSync(owner, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.routes\.tsx?$/.test(name),
  );
  const screens = routes.flatMap((file) => {
    const text = readFileSync(join(owner, file), 'utf8');
    expect(text, file).not.toMatch(/^import .*Screen\.tsx/m);
    return [...text.matchAll(/import\('\.\/(\w+Screen\.tsx)'\)/g)].map(([, name]) =>
      join(dirname(file), name ?? ''),
    );
  });
  expect(screens.length).toBeGreaterThan(15);
  const later = [
    ...screens,
    'shell/Shell.tsx',
    'shell/AccountMenuLayer.tsx',
    'shell/SlideOver.tsx',
    'commands/load-palette.ts',
    'commands/ShortcutSheet.tsx',
  ];
  for (const path of later) expect(chunkOf(path).isDynamicEntry, path).toBe(true);
  const first = new Set(loadedWith(DASHBOARD));
  for (const path of later.filter((one) => !DASHBOARD.includes(one))) {
    expect(first.has(chunkOf(path).file), path).toBe(false);
  }
});
