import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const DIST = join(import.meta.dirname, '../dist/owner');
const MOST_BYTES = 200 * 1024;

interface Chunk {
  file: string;
  imports?: string[];
  isDynamicEntry?: boolean;
}

const manifest = JSON.parse(readFileSync(join(DIST, 'manifest.json'), 'utf8')) as Record<string, Chunk>;

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

it('what the dashboard loads at first is at most 200 kB of compressed script', () => {
  const sizes = loadedWith(DASHBOARD).map((file) => ({ file, bytes: gzipped(file) }));
  const sum = sizes.reduce((bytes, one) => bytes + one.bytes, 0);
  const largest = sizes.toSorted((a, b) => b.bytes - a.bytes).slice(0, 8);
  expect(sum, JSON.stringify(largest, null, 1)).toBeLessThanOrEqual(MOST_BYTES);
  expect(sum).toBeGreaterThan(50_000);
});

it('every screen of the router, the palette and the menus are loaded when they are asked for', () => {
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
    'commands/CommandPalette.tsx',
    'commands/ShortcutSheet.tsx',
  ];
  for (const path of later) expect(chunkOf(path).isDynamicEntry, path).toBe(true);
  const first = new Set(loadedWith(DASHBOARD));
  for (const path of later.filter((one) => !DASHBOARD.includes(one))) {
    expect(first.has(chunkOf(path).file), path).toBe(false);
  }
});
