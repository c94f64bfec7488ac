import { OAUTH_RETURN_PATH } from '#contract/app-paths.ts';
import type { Connector } from '#server/connectors/connector.ts';
import type { OAuthClient, TokenEndpoint } from '#server/connectors/oauth.ts';
import type { Services } from '#server/platform/services.ts';

/** The OAuth client for a tool; null if the tool has no OAuth or this server has no app there. */
export function oauthClientOf(
  { config }: Pick<Services, 'config'>,
  connector: Connector,
): OAuthClient | null {
  const client = config.connectorClients[connector.envName];
  if (connector.oauth === undefined || client === undefined) return null;
  const app = { ...client, redirectUri: `${config.appUrl}${OAUTH_RETURN_PATH}` };
  return { connector, oauth: connector.oauth, app };
}

export function tokenEndpointOf(
  { outbound, clock, config }: Services,
  { envName }: Connector,
): TokenEndpoint {
  return { outbound, clock, baseUrl: config.connectorUrls[envName] };
}
