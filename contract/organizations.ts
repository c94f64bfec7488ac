import { z } from 'zod';
import { id, line, timestamp } from './fields.ts';
import { defineRoute } from './route.ts';
import { site } from './sites.ts';

export const organization = z
  .object({
    id,
    name: z.string(),
    sites: z.array(site),
    subscription: z.string().nullable().describe('Name of the plan, if any.'),
    valid_until: timestamp.nullable(),
    is_valid: z.boolean(),
    requires_second_factor: z
      .boolean()
      .describe('Whether every member needs a second factor, from their next login on.'),
  })
  .meta({ id: 'Organization' });

export type Organization = z.infer<typeof organization>;

export const createOrganization = defineRoute({
  method: 'POST',
  path: '/core/v1/organizations',
  access: 'user',
  tag: 'Organizations',
  summary: 'Create an organization',
  description:
    'If you already created an organization with this name and it has no site yet, `name_taken` has its `organization_id` in `data`. Continue with that one.',
  body: z.strictObject({ name: line(100) }),
  status: 201,
  response: organization,
  errors: ['name_taken', 'limit_reached'],
});

export const getOrganization = defineRoute({
  method: 'GET',
  path: '/core/v1/organizations/{id}',
  access: 'organization',
  tag: 'Organizations',
  summary: 'Read an organization',
  params: z.object({ id }),
  status: 200,
  response: organization,
});

export const renameOrganization = defineRoute({
  method: 'PATCH',
  path: '/core/v1/organizations/{id}',
  access: 'organization',
  needs: 'owner',
  tag: 'Organizations',
  summary: 'Rename an organization',
  params: z.object({ id }),
  body: z.strictObject({ name: line(100) }),
  status: 200,
  response: organization,
  errors: ['name_taken'],
});
