import { z } from 'zod';
import { line, text } from './fields.ts';

const WEB_ADDRESS = 'must be empty or a URL like https://example.com/privacy';

/** A link that is shown to people; empty: none. */
const optionalLink = line(2048, 0).refine(
  (value) =>
    value === '' ||
    (/^https?:\/\//i.test(value) && URL.canParse(value) && !new URL(value).username && !/\s/.test(value)),
  { error: WEB_ADDRESS },
);

/** Who is behind the pages and emails of a site. What is empty is not shown. */
export const operator = z.strictObject({
  legal_name: line(200, 0).default('').describe('The full name of the business or person.'),
  postal_address: text(500).default('').describe('As on an envelope, on several lines.'),
  privacy_url: optionalLink.default('').describe('The privacy policy.'),
  imprint_url: optionalLink.default('').describe('The legal notice (imprint).'),
});

export type Operator = z.infer<typeof operator>;
