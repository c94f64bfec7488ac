import { OAUTH_RETURN_PATH } from '#contract/app-paths.ts';
import type { Connector } from '#server/connectors/connector.ts';
import type { Asking, TokenLine } from '#server/connectors/oauth.ts';
import type { Services } from '#server/platform/services.ts';

/** Who asks a tool for tokens; null where the tool has no OAuth, or this server no app with it. */
export function oauthOf({ config }: Pick<Services, 'config'>, connector: Connector): Asking | null {
  const client = config.connectorClients[connector.envName];
  if (connector.oauth === undefined || client === undefined) return null;
  const app = { ...client, redirectUri: `${config.appUrl}${OAUTH_RETURN_PATH}` };
  return { connector, oauth: connector.oauth, app };
}

export function tokenLineOf({ outbound, clock, config }: Services, { envName }: Connector): TokenLine {
  return { outbound, clock, baseUrl: config.connectorUrls[envName] };
}
