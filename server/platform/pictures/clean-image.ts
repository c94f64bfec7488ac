import type { ImageProblem } from '#contract/images.ts';
import { AppError } from '#server/platform/errors.ts';
import type { PictureKind } from './sanitize-process.ts';
import { type CleanImage, sanitize } from './sanitize.ts';

const SENTENCES: Record<ImageProblem, string> = {
  empty: 'the file is empty. Choose another one.',
  not_an_image: "this isn't a PNG, JPEG, WebP, GIF, AVIF or SVG. Save the image as one of these.",
  too_many_pixels: 'the image has more than 24 million pixels. Make it smaller.',
  damaged: 'the image is damaged. Save it again, ideally as PNG.',
  too_slow: 'the image takes too long to draw. Simplify it, or save it as PNG.',
  too_large: 'the file is larger than 2 MB. Make it smaller.',
  svg_too_long: 'the SVG is larger than 512 kB. Simplify it, or save it as PNG.',
  svg_entities: 'the SVG declares entities. Save it as plain SVG or as PNG.',
  unreachable: 'there is no image at this URL. Check it, or upload the image.',
  not_of_this_site: 'this image is no longer stored on this site. Upload it again.',
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
