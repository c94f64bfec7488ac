import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { ImageKind, ImageProblem } from '#contract/images.ts';
import { AppError } from '#server/platform/errors.ts';
import { sniffType } from './sniff-type.ts';
import type { SanitizeRequest, PictureKind, SanitizeResult } from './sanitize-process.ts';

/** An image of which nothing but the pixels remains: logos and people as WebP, a favicon as PNG. */
export interface CleanImage<Kind extends PictureKind = ImageKind> {
  kind: Kind;
  bytes: Buffer;
  width: number;
  height: number;
}

const PROCESS = join(import.meta.dirname, 'sanitize-process.ts');
/** Its own limit of six seconds of work comes first, except on a machine that is busy with other things. */
const DEADLINE_MS = 20_000;
/** Each may take one processor and 640 MB for that long. */
const AT_ONCE = 2;
const MAX_WAITING = 20;

let running = 0;
const waiting: (() => void)[] = [];

/** @throws AppError `unavailable` when too many wait already */
async function withSlot<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) {
    if (waiting.length >= MAX_WAITING) {
      throw new AppError('unavailable', 'Too many images are being prepared; try again in a few seconds.', {
        retryAfterSeconds: 5,
      });
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running += 1;
  try {
    return await work();
  } finally {
    // Who waits takes over this place; only when nobody does it is given up.
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

/**
 * One process for one image: decoders are the oldest way into a server, and a drawing can keep one busy for minutes.
 * It knows no setting and no key of the server's, and is ended when its time is over.
 */
function sanitizeInProcess(drawing: SanitizeRequest): Promise<SanitizeResult> {
  return new Promise((resolve, reject) => {
    const child = fork(PROCESS, [], {
      env: {},
      execArgv: ['--max-old-space-size=64'],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    let answer: SanitizeResult = { problem: 'damaged' };
    const deadline = setTimeout(() => {
      answer = { problem: 'too_slow' };
      child.kill('SIGKILL');
    }, DEADLINE_MS);
    child.on('message', (sanitized) => {
      answer = sanitized as SanitizeResult;
    });
    child.on('error', (error) => {
      clearTimeout(deadline);
      reject(error);
    });
    child.on('exit', () => {
      clearTimeout(deadline);
      resolve(answer);
    });
    child.send(drawing, () => {
      // It may have died before it could read: then `exit` answers.
    });
  });
}

/** Decodes an image and encodes what it shows, or says what is wrong with it. */
export async function sanitize<Kind extends PictureKind>(
  kind: Kind,
  file: Buffer,
): Promise<CleanImage<Kind> | { problem: ImageProblem }> {
  const sniffed = sniffType(file);
  if ('problem' in sniffed) return sniffed;
  const isVector = sniffed.kind === 'drawing';
  const sanitized = await withSlot(() => sanitizeInProcess({ kind, isVector, bytes: sniffed.bytes }));
  if ('problem' in sanitized) return sanitized;
  return { kind, bytes: Buffer.from(sanitized.bytes), width: sanitized.width, height: sanitized.height };
}
