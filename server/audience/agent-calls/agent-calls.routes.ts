import { recordAgentCall as recordAgentCallRoute } from '#contract/agent-calls.ts';
import type { Api } from '#server/accounts/access/access.ts';
import type { Services } from '#server/platform/services.ts';
import { recordAgentCall } from './agent-calls.ts';

export function agentCallRoutes(api: Api, services: Services): void {
  api(recordAgentCallRoute, async ({ site, actor, body }) => {
    await recordAgentCall(services, site.id, actor.keyId ?? actor.userId, body);
    return null;
  });
}
