import { z } from 'zod';
import { id, lookup } from './fields.ts';
import { KEY_SCOPES } from './roles.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteParams } from './site-scope.ts';

export const agentCall = z.strictObject({
  tool: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,39}$/, {
      error: 'must be 1 to 40 of a to z, 0 to 9 and _, and start with a letter',
    })
    .describe('The name of the tool that the agent calls.'),
  email: lookup(254)
    .optional()
    .describe(
      "If the call is about a customer, their email. The entry gets the customer's ID. The email isn't stored, even if no customer has it.",
    ),
  bulk_change_id: id.optional().describe('If the call is about a bulk change, its ID.'),
});

export type AgentCall = z.infer<typeof agentCall>;

export const recordAgentCall = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/agent-calls`,
  access: 'site',
  needs: 'viewer',
  // Every key that an agent may have.
  scopes: KEY_SCOPES,
  tag: 'Audit log',
  summary: 'Record a call by an agent',
  description:
    'The MCP server does this before it runs a tool, and runs no tool whose call was not recorded. Call it if you give an agent access to the API in another way. At most 60 calls a minute and 5,000 a day for each key.',
  params: siteParams,
  body: agentCall.meta({ examples: [{ tool: 'find_customer', email: 'nora@example.com' }] }),
  status: 204,
  response: z.null(),
  errors: ['rate_limited'],
});
