import { ApiError } from '#contract/client.ts';
import { KEPT_IMAGE } from '#contract/fields.ts';
import { IMAGE_PROBLEMS, IMAGE_TYPES, type ImageProblem, MAX_IMAGE_BYTES } from '#contract/images.ts';
import { isLimitOfProxy } from '../../files/upload-limit.ts';

/**
 * What the owner app, which is on no site's host, has to load to show the image. One from the web is not shown before
 * it is kept: no other server is asked by the owner's browser.
 */
export function shownAddress(url: string, siteId: string): string {
  const path = KEPT_IMAGE.exec(url)?.groups?.['path'];
  return path === undefined ? '' : `${path}?site=${siteId}`;
}

export function isKept(url: string): boolean {
  return KEPT_IMAGE.test(url);
}

/** proxy: the limit is of something in front of the server. */
export type ShownProblem = ImageProblem | 'proxy';

/** What is wrong with a file, as far as the browser can tell. */
export function problemOfFile(file: Pick<File, 'size' | 'type'>): ImageProblem | null {
  if (file.size === 0) return 'empty';
  if (file.size > MAX_IMAGE_BYTES) return 'too_large';
  return (IMAGE_TYPES as readonly string[]).includes(file.type) ? null : 'not_an_image';
}

/** What the server found wrong with an image; null for any other error. */
export function problemOfError(error: unknown): ShownProblem | null {
  if (!(error instanceof ApiError)) return null;
  if (isLimitOfProxy(error)) return 'proxy';
  const code = error.errors[0]?.code;
  if (code === 'body_too_large') return 'too_large';
  if (code === 'unsupported_media_type') return 'not_an_image';
  return IMAGE_PROBLEMS.find((problem) => problem === error.data?.['problem']) ?? null;
}
