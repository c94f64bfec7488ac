import { z } from 'zod';

/** What can be wrong with something that was saved all the same. */
export const WARNING_CODES = ['email_not_configured', 'overlap'] as const;

export const warnings = z
  .array(
    z
      .object({
        code: z.enum(WARNING_CODES),
        field: z.string().describe('Dotted path of the field, e.g. `attrs.confirm_changes`.'),
        message: z.string().describe("For people: what doesn't work, why, and how to fix it."),
      })
      .meta({ id: 'Warning' }),
  )
  .describe("Saved, but these settings don't work yet. Empty if all is well.");

export type Warnings = z.infer<typeof warnings>;
