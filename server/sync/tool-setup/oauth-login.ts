import type { z } from 'zod';
import type { Integration } from '#contract/integrations.ts';
import { finishOAuth, type startOAuth } from '#contract/oauth.ts';
import { needsOf } from '#contract/roles.ts';
import { requireRole } from '#server/accounts/organizations/roles.ts';
import {
  type OAuthClient,
  authorizeUrl,
  exchangeCode,
  type Grant,
  GrantEnded,
} from '#server/connectors/oauth.ts';
import { AppError, invalidField } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import { randomToken } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { toolApiWithGrant } from '#server/tools/clients/tool-client.ts';
import { requireLoginFields } from '#server/tools/integrations/credentials.ts';
import {
  accountOf,
  asCredentialsError,
  requireConnector,
  requireIntegration,
} from '#server/tools/integrations/integrations.ts';
import { oauthClientOf, tokenEndpointOf } from '#server/tools/integrations/oauth-app.ts';
import { saveReconnected, saveNewIntegration, requireRoom } from './tool-setup.ts';
import { type OAuthState, openState, sealState, STATE_SECONDS } from './oauth-state.ts';

type Start = z.output<(typeof startOAuth)['body']>;
type Finish = z.output<(typeof finishOAuth)['body']>;

/** @throws AppError `invalid_field` */
function requireOAuth(services: Services, provider: string): OAuthClient {
  const connector = requireConnector(provider);
  const asking = oauthClientOf(services, connector);
  if (asking !== null) return asking;
  const why =
    connector.oauth === undefined
      ? `${connector.name} doesn't support connecting by login`
      : `this server has no ${connector.name} app (CONNECTOR_${connector.envName}_CLIENT_ID)`;
  throw invalidField('provider', `provider: ${why}. Connect it with credentials.`);
}

/**
 * Where the owner goes to let us in; nothing is kept.
 * @throws AppError `invalid_field`, `not_found`, `limit_reached`
 */
export async function beginOAuth(
  services: Services,
  { userId, organizationId, siteId }: { userId: string; organizationId: string; siteId: string },
  input: Start,
): Promise<{ authorize_url: string }> {
  const client = requireOAuth(services, input.provider);
  const given = requireLoginFields(client.connector, client.oauth.takes, input.credentials ?? {});
  const { integration_id: integrationId = null } = input;
  await services.database.readSite(siteId, async (site) => {
    if (integrationId === null) return requireRoom(site);
    const { provider } = await requireIntegration(site, integrationId);
    if (provider === client.connector.id) return;
    throw invalidField('provider', `provider: this integration is for ${provider}, and that can't change.`);
  });
  const verifier = randomToken();
  const state = sealState(services, userId, {
    nonce: newId(),
    organizationId,
    siteId,
    provider: client.connector.id,
    verifier,
    given,
    name: input.name ?? null,
    integrationId,
    redirect: input.redirect ?? null,
    mayBeOther: input.other_account === true,
  });
  const baseUrl = services.config.connectorUrls[client.connector.envName];
  return { authorize_url: authorizeUrl(client, { state, verifier, given, baseUrl }) };
}

/**
 * Trades what the tool sent the owner back with for a connection that works.
 * @throws AppError `invalid_field`, `not_found`, `forbidden`, `link_used`, `credentials_refused`, `other_tool_account`,
 * `unavailable`, `limit_reached`
 */
export async function endOAuth(
  services: Services,
  userId: string,
  { state: sealed, code, error }: Finish,
): Promise<{ integration: Integration; redirect: string | null }> {
  const state = openState(services, userId, sealed);
  if (state === null) {
    throw invalidField(
      'state',
      'state: this login was started more than 10 minutes ago or by another account. Start again.',
    );
  }
  const { siteId, organizationId, redirect } = state;
  // The path does not name the site: no guard could ask.
  await requireRole(services, { userId, organizationId, siteId }, needsOf(finishOAuth));
  const client = requireOAuth(services, state.provider);
  if (code === undefined) throw loginRefused(client, error ?? '');
  const once = { name: 'oauth-state', points: 1, perSeconds: STATE_SECONDS };
  await services.limits.use(once, state.nonce).catch((cause: unknown) => {
    if (!(cause instanceof AppError)) throw cause;
    throw new AppError('link_used', 'This login was already used. Check whether the tool is connected.', {
      cause,
    });
  });
  try {
    return { integration: await connect(services, client, state, code), redirect };
  } catch (cause) {
    // Worth another try with the same code.
    if (cause instanceof AppError && cause.code === 'unavailable') {
      await services.limits.giveBack(once, state.nonce);
    }
    throw cause;
  }
}

function loginRefused({ connector: { name } }: OAuthClient, error: string): AppError {
  const plain = error.replaceAll(/\W/g, '').slice(0, 60);
  const message =
    plain === 'access_denied'
      ? `You didn't give Sayso access to ${name}, so we didn't connect it. Start again whenever you want.`
      : `${name} didn't give Sayso access (${plain || 'no reason given'}). Start again, or ask the person who runs this server.`;
  return new AppError('credentials_refused', message, { field: 'error' });
}

async function connect(
  services: Services,
  client: OAuthClient,
  state: OAuthState,
  code: string,
): Promise<Integration> {
  const { connector } = client;
  const grant = await exchange(services, client, state, code);
  const auth = { kind: 'oauth', grant } as const;
  const api = toolApiWithGrant(services, connector, grant);
  const account = await accountOf(connector, api, grant.learned);
  const accepted = { connector, account, auth };
  return state.integrationId === null
    ? saveNewIntegration(services, state.siteId, accepted, state.name)
    : saveReconnected(services, state.siteId, state.integrationId, accepted, {
        name: state.name,
        mayBeOther: state.mayBeOther,
      });
}

async function exchange(
  services: Services,
  client: OAuthClient,
  { verifier, given }: OAuthState,
  code: string,
): Promise<Grant> {
  try {
    const endpoint = tokenEndpointOf(services, client.connector);
    return await exchangeCode(client, endpoint, { code, verifier, given });
  } catch (error) {
    if (!(error instanceof GrantEnded)) throw asCredentialsError(error);
    const message = `This ${client.connector.name} login has expired or was already used. Start again.`;
    throw new AppError('credentials_refused', message, { field: 'code', cause: error });
  }
}
