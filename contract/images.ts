import { z } from 'zod';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteParams } from './site-scope.ts';

export const IMAGE_KINDS = ['logo', 'favicon'] as const;
export type ImageKind = (typeof IMAGE_KINDS)[number];

/** What may be sent; what is kept is always a WebP (logo) or a PNG (favicon) that the product made itself. */
export const IMAGE_TYPES = [
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
  'image/avif',
  'image/svg+xml',
] as const;

export const MAX_IMAGE_BYTES = 2 * 1024 * 1024;

/** Why an image was refused; `data.problem` of the 422 answer. */
export const IMAGE_PROBLEMS = [
  'empty',
  'not_an_image',
  'too_many_pixels',
  'damaged',
  'too_slow',
  'too_large',
  'svg_too_long',
  'svg_entities',
  'unreachable',
  'not_of_this_site',
] as const;
export type ImageProblem = (typeof IMAGE_PROBLEMS)[number];

export const keptImage = z
  .object({
    url: z.string().describe('Use it as `logo` or `favicon` of a preference page on this site.'),
    width: z.number().int().describe('In pixels'),
    height: z.number().int().describe('In pixels'),
  })
  .meta({ id: 'Image' });

export type KeptImage = z.infer<typeof keptImage>;

export const uploadImage = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/images`,
  access: 'site',
  tag: 'Preference pages',
  summary: 'Upload a logo or a favicon',
  description:
    'The body is the file itself: PNG, JPEG, WebP, GIF (first frame), AVIF or SVG, at most 2 MB. We redraw it (a logo at most 800 x 192 pixels, a favicon 64 x 64), which removes all metadata. Images that no page uses are deleted after a day.',
  params: siteParams,
  query: z.strictObject({ kind: z.enum(IMAGE_KINDS) }),
  file: { types: IMAGE_TYPES, maxBytes: MAX_IMAGE_BYTES },
  status: 201,
  response: keptImage,
  errors: ['invalid_field', 'limit_reached', 'rate_limited', 'unavailable'],
});
