import { open } from 'node:fs/promises';
import { z } from 'zod';
import { Refusal } from '#server/command.ts';
import type { Database } from '#server/platform/database.ts';
import { type Erasure, listErasures } from '#server/visit/erasures/reapply-erasures.ts';
import { explainReading } from './file-errors.ts';
import { writeLines } from './write-file.ts';

/* The list of erasures as a file of JSON lines: what it is, its entries, and how many. */

const header = z.object({
  format: z.literal('sayso-erasures'),
  version: z.literal(1),
  taken_at: z.iso.datetime(),
});

const entry = z.union([
  z.object({
    customer: z.uuid(),
    site: z.uuid(),
    erased_at: z.iso.datetime(),
    erased_key: z
      .string()
      .regex(/^([0-9a-f]{2})+$/)
      .nullable(),
  }),
  z.object({ account: z.uuid() }),
  z.object({ organization: z.uuid() }),
]);

const end = z.object({ entries: z.number().int() });

export async function writeErasures(path: string, database: Database): Promise<{ customers: number }> {
  let customers = 0;
  await writeLines(path, lines());
  return { customers };

  async function* lines(): AsyncGenerator<string> {
    const { rows } = await database.global.query('select now() as now');
    const takenAt = z.object({ now: z.date() }).parse(rows[0]).now;
    yield JSON.stringify({ format: 'sayso-erasures', version: 1, taken_at: takenAt.toISOString() });
    let entries = 0;
    for await (const erasure of listErasures(database)) {
      entries += 1;
      if ('customer' in erasure) customers += 1;
      yield JSON.stringify(erasure);
    }
    yield JSON.stringify({ entries });
  }
}

function parsed<T>(schema: z.ZodType<T>, line: string | undefined): T | null {
  try {
    const result = schema.safeParse(JSON.parse(line ?? ''));
    return result.success ? result.data : null;
  } catch {
    return null;
  }
}

async function* linesOf(path: string): AsyncGenerator<string> {
  try {
    await using file = await open(path);
    yield* file.readLines();
  } catch (error) {
    throw explainReading(error, path);
  }
}

/**
 * Reads a list from beginning to end, and once more for each time that `entries` is called.
 * @throws Refusal when it is not whole
 */
export async function openErasures(
  path: string,
): Promise<{ takenAt: Date; entries: () => AsyncGenerator<Erasure> }> {
  let takenAt: Date | null = null;
  let found = 0;
  let isWhole = false;
  for await (const line of linesOf(path)) {
    if (takenAt === null) {
      const first = parsed(header, line);
      if (first === null) throw new Refusal(`${path}: this isn't a Sayso list of erasures.`);
      takenAt = new Date(first.taken_at);
    } else if (isWhole) {
      throw damaged(path);
    } else if (parsed(entry, line) === null) {
      if (parsed(end, line)?.entries !== found) throw damaged(path);
      isWhole = true;
    } else found += 1;
  }
  if (takenAt === null || !isWhole) throw damaged(path);
  return { takenAt, entries: () => entriesOf(path) };
}

async function* entriesOf(path: string): AsyncGenerator<Erasure> {
  for await (const line of linesOf(path)) {
    const erasure = parsed(entry, line);
    if (erasure !== null) yield erasure;
  }
}

function damaged(path: string): Refusal {
  return new Refusal(`${path}: the list of erasures is incomplete or was altered. Nothing was changed.`);
}
