import { join } from 'node:path';
import type { ImageKind, ImageProblem } from '#contract/images.ts';
import { withConcurrencyLimit } from '#server/platform/concurrency-limit.ts';
import { inOwnProcess, type OwnProcess } from '#server/platform/own-process.ts';
import { sniffType } from './sniff-type.ts';
import type { SanitizeRequest, PictureKind, SanitizeResult } from './sanitize-process.ts';

/** A re-encoded image that contains only pixels: logos and avatars as WebP, favicons as PNG. */
export interface CleanImage<Kind extends PictureKind = ImageKind> {
  kind: Kind;
  bytes: Buffer;
  width: number;
  height: number;
}

const PROCESS: OwnProcess<SanitizeResult> = {
  module: join(import.meta.dirname, 'sanitize-process.ts'),
  heapMb: 64,
  deadlineMs: 20_000,
  keptMs: 0,
  tooSlow: { problem: 'too_slow' },
  died: { problem: 'damaged' },
};
/** Each may use one CPU and 640 MB for that long. */
const AT_ONCE = 2;
const QUEUE = { most: 20, full: "We're preparing too many images right now." };

/** Decodes and re-encodes an image, or returns its problem. */
export async function sanitize<Kind extends PictureKind>(
  kind: Kind,
  file: Buffer,
): Promise<CleanImage<Kind> | { problem: ImageProblem }> {
  const sniffed = sniffType(file);
  if ('problem' in sniffed) return sniffed;
  const isVector = sniffed.kind === 'drawing';
  const drawing: SanitizeRequest = { kind, isVector, bytes: sniffed.bytes };
  const sanitized = await withConcurrencyLimit(
    AT_ONCE,
    'images',
    () => inOwnProcess(PROCESS, drawing),
    QUEUE,
  );
  if ('problem' in sanitized) return sanitized;
  return { kind, bytes: Buffer.from(sanitized.bytes), width: sanitized.width, height: sanitized.height };
}
