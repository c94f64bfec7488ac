import type { ImageProblem } from '#contract/images.ts';
import { AppError } from '#server/platform/errors.ts';
import type { PictureKind } from './sanitize-process.ts';
import { type CleanImage, sanitize } from './sanitize.ts';

const SENTENCES: Record<ImageProblem, string> = {
  empty: 'the file is empty; choose another one.',
  not_an_image: 'this is not a PNG, JPEG, WebP, GIF, AVIF or SVG; save the picture as one of these.',
  too_many_pixels: 'the picture has more than 24 million pixels; make it smaller.',
  damaged: 'the picture is damaged or cannot be drawn; save it anew, best as PNG.',
  too_slow: 'the picture takes too long to draw; make it simpler, or save it as PNG.',
  too_large: 'the file is larger than 2 MB; make it smaller.',
  svg_too_long: 'the SVG is longer than 512 kB; make it simpler, or save it as PNG.',
  svg_entities: 'the SVG declares entities; save it as plain SVG or as PNG.',
  unreachable: 'there is no picture at this address; check it, or upload the picture.',
  not_of_this_site: 'this uploaded picture is not here (any more); upload it on this site.',
};

export function imageRefusal(field: string, problem: ImageProblem, cause?: unknown): AppError {
  return new AppError('invalid_field', `${field}: ${SENTENCES[problem]}`, {
    field,
    data: { problem },
    cause,
  });
}

/** @throws AppError `invalid_field` naming the field, with `data.problem`, if it cannot be converted to an image */
export async function cleanImage<Kind extends PictureKind>(
  kind: Kind,
  file: Buffer,
  field: string,
): Promise<CleanImage<Kind>> {
  const image = await sanitize(kind, file);
  if ('problem' in image) throw imageRefusal(field, image.problem);
  return image;
}
