import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** Whatever imports it needs PostgreSQL, and mostly a product. */
const isDatabase = (file: string) => /\/test\/harness\/(database|citus-rules\.test)\.ts$/.test(file);

/** Node runs the TypeScript of the server as it is; React's needs Vite. */
const isReact = (file: string) => file.endsWith('.tsx');

/** Their subject is time: how long the product waits, or holds others up. */
const MEASURES = [
  'server/delivery/deliveries/delivery-queue.test.ts',
  'test/attacks/misbehaving-receivers.test.ts',
];

const PROOFS = [/^test\/(browser|long|citus)\//, /\.slow\.test\.ts$/, /^db\/demo\//];

type Step = 'unit' | 'web' | 'api' | 'components' | 'journeys' | 'faults' | 'prove' | 'measure';

/** The step of the run that a test file belongs to. */
function stepOf(file: string): Step {
  const [, folder] = /^test\/(components|journeys|faults)\//.exec(file) ?? [];
  if (folder !== undefined) return folder as Step;
  if (file.startsWith('test/slow/') || MEASURES.includes(file)) return 'measure';
  if (PROOFS.some((proof) => proof.test(file))) return 'prove';
  const path = join(ROOT, file);
  if (reaches(path, isDatabase)) return 'api';
  return reaches(path, isReact) ? 'web' : 'unit';
}

/** All test files by step. A file that moves, or begins to need a product, changes its step by itself. */
export function filesOfSteps(): Record<Step, string[]> {
  const files: Record<Step, string[]> = {
    unit: [],
    web: [],
    api: [],
    components: [],
    journeys: [],
    faults: [],
    prove: [],
    measure: [],
  };
  for (const folder of ['contract', 'server', 'web', 'test', 'db', 'packages']) {
    const inFolder = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
    for (const name of inFolder.filter((one) => /\.test\.tsx?$/.test(one))) {
      const file = join(folder, name);
      files[stepOf(file)].push(file);
    }
  }
  return files;
}

function reaches(file: string, isWanted: (file: string) => boolean, seen = new Set<string>()): boolean {
  if (isWanted(file)) return true;
  if (seen.has(file)) return false;
  seen.add(file);
  return importsOf(file).some((imported) => reaches(imported, isWanted, seen));
}

const known = new Map<string, string[]>();

function importsOf(file: string): string[] {
  const before = known.get(file);
  if (before !== undefined) return before;
  const source = readFileSync(file, 'utf8');
  const imported = [...source.matchAll(/(?:from|import)[ (]'([#.][^']+)'/g)].flatMap(([, path = '']) => {
    const place = path.startsWith('#') ? join(ROOT, path.slice(1)) : join(dirname(file), path);
    return /\.(tsx?|mjs)$/.test(place) && existsSync(place) ? [place] : [];
  });
  known.set(file, imported);
  return imported;
}
