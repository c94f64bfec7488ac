import fc from 'fast-check';

/** How a life in the loop is drawn by lot: what a person, a tool or the product does next. */

/** Of one life. */
export const STEPS = 6;

export type Tool = 'brevo' | 'sendgrid';

export type Save = 'weekly on' | 'weekly off' | 'leave' | 'come back';

export type Step =
  | { what: 'save'; save: Save }
  | { what: 'leave there'; tool: Tool; from: 'everything' | 'group' }
  | { what: 'import'; weekly: 'yes' | 'no' | ''; all: 'yes' | '' }
  /** Some of the jobs that wait run, a few of them twice; what fails comes again. */
  | { what: 'deliver'; which: number[]; trouble: boolean }
  | { what: 'tell'; which: number[] };

/** Which of those that there are; all of them as often as some. */
const some = fc.array(fc.nat({ max: 5 }), { maxLength: 4 });
const picks = fc.boolean().chain((isAll) => (isAll ? fc.constant<number[]>([0, 1, 2, 3, 4, 5]) : some));

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('save' as const),
      save: fc.constantFrom<Save>('weekly on', 'weekly off', 'leave', 'come back'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('leave there' as const),
      tool: fc.constantFrom<Tool>('brevo', 'sendgrid'),
      from: fc.constantFrom('everything' as const, 'group' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constant('import' as const),
      weekly: fc.constantFrom('yes' as const, 'no' as const, '' as const),
      all: fc.constantFrom('yes' as const, '' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('deliver' as const),
      which: picks,
      trouble: fc.nat({ max: 3 }).map((chance) => chance === 0),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('tell' as const), which: picks }) },
);

export const life = fc.array(step, { minLength: STEPS, maxLength: STEPS });
