import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { ImageKind, ImageProblem } from '#contract/images.ts';
import { withConcurrencyLimit } from '#server/platform/concurrency-limit.ts';
import { sniffType } from './sniff-type.ts';
import type { SanitizeRequest, PictureKind, SanitizeResult } from './sanitize-process.ts';

/** A re-encoded image that contains only pixels: logos and avatars as WebP, favicons as PNG. */
export interface CleanImage<Kind extends PictureKind = ImageKind> {
  kind: Kind;
  bytes: Buffer;
  width: number;
  height: number;
}

const PROCESS = join(import.meta.dirname, 'sanitize-process.ts');
/** The process's own limit of six CPU seconds comes first, except on a busy machine. */
const DEADLINE_MS = 20_000;
/** Each may use one CPU and 640 MB for that long. */
const AT_ONCE = 2;
const QUEUE = { most: 20, full: "We're preparing too many images right now." };

/**
 * One process per image: decoders are a classic attack surface, and a drawing can keep one busy for minutes. It has no
 * settings and no keys of the server, and is killed after its time limit.
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
      // It may have died before reading its input: `exit` handles that.
    });
  });
}

/** Decodes and re-encodes an image, or returns its problem. */
export async function sanitize<Kind extends PictureKind>(
  kind: Kind,
  file: Buffer,
): Promise<CleanImage<Kind> | { problem: ImageProblem }> {
  const sniffed = sniffType(file);
  if ('problem' in sniffed) return sniffed;
  const isVector = sniffed.kind === 'drawing';
  const drawing = { kind, isVector, bytes: sniffed.bytes };
  const sanitized = await withConcurrencyLimit(AT_ONCE, 'images', () => sanitizeInProcess(drawing), QUEUE);
  if ('problem' in sanitized) return sanitized;
  return { kind, bytes: Buffer.from(sanitized.bytes), width: sanitized.width, height: sanitized.height };
}
