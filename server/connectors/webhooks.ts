import type { z } from 'zod';
import { sha256 } from '#server/platform/secrets.ts';
import { storable, storableJson } from '#server/platform/storable.ts';
import { ConnectorError, type InboundRequest } from './connector.ts';
import { readable } from './reader.ts';

function jsonOf(rawBody: Buffer): unknown {
  try {
    return JSON.parse(storableJson(rawBody.toString('utf8')));
  } catch {
    return undefined;
  }
}

/** The fields of a webhook that comes as a form. */
export function formOf({ rawBody }: InboundRequest): URLSearchParams {
  const fields = [...new URLSearchParams(rawBody.toString('utf8'))];
  return new URLSearchParams(fields.map((field) => field.map(storable)));
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
 * Reads the events of a batch one by one: one that can't be read keeps no other from counting.
 * @param refusal what is wrong with a batch of which nothing can be read
 * @throws ConnectorError `refused`
 */
export function readEach<T>(schema: z.ZodType<T>, told: readonly unknown[], refusal: string): T[] {
  const read = readable(schema, told);
  if (read.length === 0 && told.length > 0) throw new ConnectorError('refused', refusal);
  return read;
}

/**
 * The id of an event that the tool gives none.
 * @param facts what tells it from all others, and is the same each time that it is told
 */
export function eventIdOf(facts: readonly unknown[]): string {
  return sha256(JSON.stringify(facts)).toString('hex');
}
