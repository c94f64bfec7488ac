import { z } from 'zod';

/** What can be wrong with something that was saved all the same. */
export const WARNING_CODES = ['email_not_configured'] as const;

export const warnings = z
  .array(
    z
      .object({
        code: z.enum(WARNING_CODES),
        field: z.string().describe('Dotted path of the field it is about, e.g. `attrs.confirm_changes`.'),
        message: z.string().describe('One sentence for people: what does not work, why, and how to fix it.'),
      })
      .meta({ id: 'Warning' }),
  )
  .describe('Saved, but it does not do what it promises as long as this stands. Empty where all is well.');

export type Warnings = z.infer<typeof warnings>;
