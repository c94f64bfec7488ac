import { z } from 'zod';
import { isEmail, readEmail } from './email-address.ts';

/** Languages of the product (spec section 9). */
export const LANGUAGES = ['en', 'es', 'de', 'fr', 'it', 'sl', 'ro', 'pl'] as const;
export type Language = (typeof LANGUAGES)[number];
export const language = z.enum(LANGUAGES);

/** Lower-case UUIDs only; anything else in a path is simply not found. */
export const id = z
  .uuid()
  .lowercase({ error: 'must be an ID (UUID) in lower case' })
  // Zod names the format after the last check.
  .meta({ format: 'uuid', examples: ['0198c0de-7000-7000-8000-000000000000'] });
const isNoTime = { error: 'must be a time like 2026-11-25T09:30:00Z' };

export const timestamp = z.iso.datetime(isNoTime).describe('UTC, ISO 8601');

/** A time that a caller gives, with any offset: as the same instant in UTC. One in UTC stays as it was written. */
export const givenTimestamp = z
  .string()
  // A plus sign that is not encoded arrives as a space from a query.
  .overwrite((time) => time.replace(/ (?=\d\d:\d\d$)/, '+'))
  .check(
    z.iso.datetime({ offset: true, abort: true, ...isNoTime }),
    z.overwrite((time) => (time.endsWith('Z') ? time : new Date(time).toISOString())),
    // PostgreSQL reads no year 0, and none that JavaScript writes with a sign.
    z.refine((time) => /^(?!0000)\d{4}-/.test(time), isNoTime),
  )
  .describe('ISO 8601, with `Z` or an offset like `+01:00`');

// Control and bidirectional-override characters spoil what people see and sign; none belongs in a name.
// Cs: half a surrogate pair is no character, and PostgreSQL refuses it in JSON.
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069\ufeff]/u;
const UNPRINTABLE_IN_TEXT = /(?![\n\r\t])[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069\ufeff]/u;

/** A value that is only looked up or compared: whatever a database can hold. */
export function lookup(max: number) {
  return z
    .string()
    .max(max, { error: `must be at most ${max} characters long` })
    .refine((value) => !UNPRINTABLE.test(value), { error: 'must not contain control characters' });
}

/** One line of text for people: trimmed, without control characters. */
export function line(max: number, min = 1) {
  return z
    .string()
    .trim()
    .min(min, { error: 'must not be empty' })
    .max(max, { error: `must be at most ${max} characters long` })
    .refine((text) => !UNPRINTABLE.test(text), { error: 'must not contain control characters' });
}

/** Text of several lines. */
export function text(max: number) {
  return z
    .string()
    .trim()
    .max(max, { error: `must be at most ${max} characters long` })
    .refine((value) => !UNPRINTABLE_IN_TEXT.test(value), { error: 'must not contain control characters' });
}

/** What people type into a form, with one kind of line end and without the characters that `text` refuses. */
export function withoutUnprintable(value: string): string {
  return value.replaceAll('\r\n', '\n').replace(new RegExp(UNPRINTABLE_IN_TEXT, 'gu'), '');
}

/** What `readEmail` accepts and repairs. */
export const email = z
  .string()
  .overwrite((text) => readEmail(text) ?? text)
  .max(254, { error: 'must be at most 254 characters long' })
  .refine(isEmail, { error: 'must be an email like nora@example.com' })
  .meta({ examples: ['nora@example.com'] });

/** Spec section 5: letters, digits and hyphens, 1 to 63 characters, no hyphen at either end. */
export const DOMAIN_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/** CSS colour in the one form that the colour fields take. */
export const colour = z.string().regex(/^#[0-9a-fA-F]{6}$/, { error: 'must be a color like #009AD0' });

/** Where the product keeps an image, on whichever of its hosts: `/images/{id}.webp` or `.png`. */
export const KEPT_IMAGE =
  /^(?:https?:\/\/(?<host>[a-z0-9.-]+)(?::\d+)?)?(?<path>\/images\/(?<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(?:webp|png))(?:\?site=[0-9a-f-]{36})?$/;

/** Empty clears the image. */
export const imageUrl = z
  .string()
  .trim()
  .max(2048, { error: 'must be at most 2048 characters long' })
  .refine((value) => value === '' || KEPT_IMAGE.test(value) || /^https:\/\/[^\s"'<>\\]+$/.test(value), {
    error: 'must be an https:// URL or the URL of an uploaded image',
  });

export const httpUrl = z
  .string()
  .trim()
  .max(2048, { error: 'must be at most 2048 characters long' })
  .refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), {
    error: 'must be a URL like https://example.com/hooks',
  })
  .refine(
    (value) => !URL.canParse(value) || (new URL(value).username === '' && new URL(value).password === ''),
    {
      error: 'must not contain a username or password',
    },
  );

export const pageQuery = z.strictObject({
  cursor: z.string().max(2000).optional().describe('`next` from the previous page'),
  limit: z.coerce.number().int().min(1).max(100).default(25),
});

/** A collection's `test` filter. `true`: only what belongs to test customers. `false`: everything else. */
export const TEST_FILTERS = ['true', 'false'] as const;
export const testFilter = z.enum(TEST_FILTERS).optional();
export type TestFilterValue = z.output<typeof testFilter>;

/** A collection's answer: `next` is null on the last page. */
export function collection<T extends z.ZodType>(item: T) {
  return z.object({ results: z.array(item), next: z.string().nullable() });
}

type Shape = Readonly<Record<string, z.ZodType>>;
type Outputs<Fields extends Shape> = { [Name in keyof Fields]: z.output<Fields[Name]> };

/** The fields of something new: those that have a default may be left out. */
export function withDefaults<Fields extends Shape, Name extends keyof Fields>(
  fields: Fields,
  defaults: Pick<Outputs<Fields>, Name>,
) {
  const all = Object.entries(fields).map(([name, field]) => [
    name,
    name in defaults ? field.default(defaults[name as Name]) : field,
  ]);
  return Object.fromEntries(all) as {
    [Field in keyof Fields]: Field extends Name ? z.ZodDefault<Fields[Field]> : Fields[Field];
  };
}
