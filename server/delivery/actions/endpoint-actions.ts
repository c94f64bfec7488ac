import type { z } from 'zod';
import type { actionFields } from '#contract/actions.ts';
import { isOwnUrl } from '#server/accounts/sites/own-urls.ts';
import { looksPublic } from '#server/platform/ip-addresses.ts';
import { invalidField } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';

type EndpointAction = Pick<z.output<typeof actionFields>, 'type' | 'integration_id' | 'operation' | 'target'>;

/** Where a webhook or evidence goes: to the business itself. */
type Endpoint = { url: string } | { email: string };

const WORDS = { webhook: 'a webhook', evidence: 'evidence' } as const;

type EndpointType = keyof typeof WORDS;

/** Is this type of action about the business's own endpoint, and not about a tool? */
export function isEndpointType(type: string): type is EndpointType {
  return type in WORDS;
}

/** @throws AppError `invalid_field` */
export function requireEndpoint(
  services: Services,
  type: EndpointType,
  target: EndpointAction['target'],
): Endpoint {
  if (type === 'evidence' && 'email' in target) return { email: target.email };
  if (!('url' in target)) {
    throw type === 'webhook'
      ? invalidField('target.url', 'target.url: enter the URL to call.')
      : invalidField('target', 'target: evidence needs a `url` to call or an `email` to send to.');
  }
  const isPlain = new URL(target.url).protocol === 'http:';
  if (isPlain && services.config.production && !services.config.allowPrivateTargets) {
    throw invalidField(
      'target.url',
      'target.url: must start with https://, so that no one in between can read it.',
    );
  }
  if (!services.config.allowPrivateTargets && !looksPublic(new URL(target.url))) {
    throw invalidField(
      'target.url',
      'target.url: leads to a private address. Use one that is reachable from the internet.',
    );
  }
  return { url: target.url };
}

/** A webhook that leads back to us could cause what it reports, without end. @throws AppError `invalid_field` */
export async function refuseOwnEndpoint(services: Services, target: object): Promise<void> {
  if (!('url' in target) || typeof target.url !== 'string') return;
  if (!(await isOwnUrl(services, target.url))) return;
  throw invalidField(
    'target.url',
    'target.url: leads back to Sayso itself. Enter the URL of your own endpoint.',
  );
}

/** @throws AppError `invalid_field` */
export function requireEndpointAction(
  services: Services,
  type: EndpointType,
  { integration_id: integrationId, operation, target }: EndpointAction,
): Endpoint {
  if (integrationId !== null)
    throw invalidField(
      'integration_id',
      `integration_id: ${WORDS[type]} doesn't use an integration. Leave it out.`,
    );
  if (operation !== null)
    throw invalidField('operation', `operation: ${WORDS[type]} has no operation. Leave it out.`);
  return requireEndpoint(services, type, target);
}
