import { z } from 'zod';
import { lookup } from './fields.ts';
import { defineRoute } from './route.ts';

/** Texts of spec section 5, word for word. */
export const CHECKER_MESSAGES = {
  nameEmpty: 'This empty name is already taken',
  nameTaken: 'This name is already taken',
  nameFree: 'This name is available',
  domainTaken: 'This domain is already taken',
  domainFree: 'This domain is available',
  domainInvalid: (value: string) =>
    `'${value}' is an invalid domain. The domain should only contain letters, numbers, and may contain dashes between words`,
} as const;

export const check = defineRoute({
  method: 'GET',
  path: '/core/v1/checkers',
  access: 'user',
  tag: 'Organizations',
  summary: 'Check whether an organization name or site domain is free',
  description: 'Send exactly one of the two. The first item of the returned list has the answer.',
  query: z
    .strictObject({
      organization_name: lookup(300).optional(),
      site_domain: lookup(300).optional(),
    })
    .refine((query) => (query.organization_name === undefined) !== (query.site_domain === undefined), {
      error: 'send either organization_name or site_domain',
    }),
  status: 200,
  response: z.array(
    z.object({
      error: z.boolean(),
      message: z.string(),
      reserved: z.literal(true).optional().describe('Taken because Sayso needs the name itself.'),
    }),
  ),
  errors: ['rate_limited'],
});
