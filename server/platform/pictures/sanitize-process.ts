import sharp, { type Sharp } from 'sharp';
import type { ImageKind } from '#contract/images.ts';
import { serveRequests } from '#server/platform/serve-requests.ts';

/** The use of a picture: on a page, or as an avatar. */
export type PictureKind = ImageKind | 'avatar';

/** The input of the process: one image. */
export interface SanitizeRequest {
  kind: PictureKind;
  isVector: boolean;
  bytes: Uint8Array;
}

export type SanitizeResult =
  | { bytes: Uint8Array; width: number; height: number }
  | { problem: 'too_many_pixels' | 'damaged' | 'too_slow' };

/** The pixels of a photograph by a good camera; four bytes each in memory. */
const MAX_PIXELS = 24_000_000;
/** A vector drawing only takes memory for its output. */
const MAX_PIXELS_OF_DRAWING = 16_384 ** 2;
const MAX_MEMORY_BYTES = 640 * 1024 * 1024;
const MAX_WORK_MS = 6000;

/** More than twice what a page shows, because pages may show it larger one day. */
const LOGO = { width: 800, height: 192 };
const FAVICON = { width: 64, height: 64 };
/** Twice the largest size at which an avatar is shown. */
const AVATAR = { width: 192, height: 192 };
/** Lossless is sharper for flat colours, but makes photographs needlessly large. */
const MAX_LOSSLESS_BYTES = 40 * 1024;

const DECODERS = ['Png', 'Jpeg', 'Webp', 'Nsgif', 'Heif', 'Svg'];

function limitDecoders(): void {
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: DECODERS.map((name) => `VipsForeignLoad${name}Buffer`) });
  sharp.cache(false);
  sharp.concurrency(1);
}

async function encodeLogo(picture: Sharp) {
  const lossless = await picture.clone().webp({ lossless: true }).toBuffer({ resolveWithObject: true });
  if (lossless.info.size <= MAX_LOSSLESS_BYTES) return lossless;
  return picture.clone().webp({ quality: 90 }).toBuffer({ resolveWithObject: true });
}

async function sanitize({ kind, isVector, bytes }: SanitizeRequest) {
  const picture = sharp(bytes, {
    failOn: 'error',
    limitInputPixels: isVector ? MAX_PIXELS_OF_DRAWING : MAX_PIXELS,
    sequentialRead: true,
  }).autoOrient();
  if (kind === 'logo') {
    return encodeLogo(picture.resize({ ...LOGO, fit: 'inside', withoutEnlargement: !isVector }));
  }
  if (kind === 'avatar') {
    return picture
      .resize({ ...AVATAR, fit: 'cover' })
      .webp({ quality: 85 })
      .toBuffer({ resolveWithObject: true });
  }
  const background = { r: 0, g: 0, b: 0, alpha: 0 };
  return picture
    .resize({ ...FAVICON, fit: 'contain', background })
    .png({ compressionLevel: 9 })
    .toBuffer({ resolveWithObject: true });
}

function problemOf(error: unknown): SanitizeResult {
  const message = error instanceof Error ? error.message : '';
  if (/pixel limit|exceeds maximum|dimensions/i.test(message)) return { problem: 'too_many_pixels' };
  return { problem: 'damaged' };
}

async function answer(drawing: SanitizeRequest): Promise<SanitizeResult> {
  try {
    const { data, info } = await sanitize(drawing);
    return { bytes: data, width: info.width, height: info.height };
  } catch (error) {
    return problemOf(error);
  }
}

limitDecoders();
serveRequests(answer, {
  memoryBytes: MAX_MEMORY_BYTES,
  workMs: MAX_WORK_MS,
  tooSlow: { problem: 'too_slow' },
});
