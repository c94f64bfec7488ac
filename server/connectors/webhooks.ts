import type { z } from 'zod';
import { sha256 } from '#server/platform/secrets.ts';
import { ConnectorError, type InboundRequest } from './connector.ts';

function jsonOf(rawBody: Buffer): unknown {
  try {
    return JSON.parse(rawBody.toString('utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Reads the body of a webhook that comes as JSON.
 * @param refusal what is wrong with a body of another shape
 * @throws ConnectorError `refused`
 */
export function readWebhook<T>(schema: z.ZodType<T>, { rawBody }: InboundRequest, refusal: string): T {
  const parsed = schema.safeParse(jsonOf(rawBody));
  if (parsed.success) return parsed.data;
  throw new ConnectorError('refused', refusal);
}

/**
 * The id of an event that the tool gives none.
 * @param facts what tells it from all others, and is the same each time that it is told
 */
export function eventIdOf(facts: readonly unknown[]): string {
  return sha256(JSON.stringify(facts)).toString('hex');
}
