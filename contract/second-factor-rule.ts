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
  summary: 'Require a second factor for all members, or stop requiring it',
  description:
    'You need one yourself first (403 `second_factor_setup_required`). Members without one have to set it up at their next login. Until then, that session gets 403 `second_factor_setup_required` for everything else. Open sessions and API keys keep working.',
  params: z.object({ id }),
  body: z.strictObject({ required: z.boolean() }),
  status: 200,
  response: z.object({ required: z.boolean() }),
  errors: ['second_factor_setup_required'],
});
