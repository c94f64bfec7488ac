import { z } from 'zod';

/** Who made a choice: a person, or a security scanner that opens and presses the links of an email. */
export const VERDICTS = ['likely_machine', 'unclear', 'likely_person', 'unknown'] as const;

/** What speaks for a machine. The rules, their points and their sources are in the handbook. */
export const MACHINE_SIGNS = [
  'script_user_agent',
  'outdated_user_agent',
  'same_outdated_user_agent',
  'many_people_from_network',
  'every_link_within_seconds',
  'several_in_a_second',
  'two_visitors',
  'changed_link',
  'confirmed_at_once',
  'link_of_same_day',
] as const;

export const judgement = z
  .object({
    verdict: z
      .enum(VERDICTS)
      .describe(
        'likely_machine: `confidence` is at least 70. unclear: at least 40. likely_person: below. unknown: too little was recorded to say that it was a person.',
      ),
    confidence: z
      .number()
      .int()
      .min(0)
      .max(100)
      .nullable()
      .describe('How likely a machine made the choice; null: unknown.'),
    reasons: z
      .array(z.enum(MACHINE_SIGNS))
      .describe('Signs that a machine made the choice, strongest first.'),
  })
  .meta({ id: 'Judgement' });

export type Verdict = (typeof VERDICTS)[number];
export type MachineSign = (typeof MACHINE_SIGNS)[number];
export type Judgement = z.infer<typeof judgement>;
