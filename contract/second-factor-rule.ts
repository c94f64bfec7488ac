import { z } from 'zod';
import { id } from './fields.ts';
import { defineRoute } from './route.ts';

/* What every screen of the owner app knows of second factors; the rest loads with the screens that are about them. */

export const requireSecondFactor = defineRoute({
  method: 'PUT',
  path: '/core/v1/organizations/{id}/second-factor',
  access: 'organization',
  needs: 'owner',
  tag: 'Organizations',
  summary: 'Require a second factor of every member, or stop requiring it',
  description:
    'The owner who requires it needs one first (403 `second_factor_setup_required`). Members without one are asked to set one up at their next log-in: until then that session answers 403 `second_factor_setup_required` to everything else. Sessions that are open, and API keys, go on working.',
  params: z.object({ id }),
  body: z.strictObject({ required: z.boolean() }),
  status: 200,
  response: z.object({ required: z.boolean() }),
  errors: ['second_factor_setup_required'],
});
