import type { z } from 'zod';
import { ConnectorError, type ToolAnswer } from './connector.ts';

/**
 * Reads what a tool answers: what is used of it is as expected, or nothing is done with it.
 * @returns both throw ConnectorError `unavailable` for another shape
 */
export function readerOf(tool: string) {
  function value<T>(schema: z.ZodType<T>, given: unknown): T {
    const parsed = schema.safeParse(given);
    if (parsed.success) return parsed.data;
    throw new ConnectorError('unavailable', `${tool} sent a response we couldn't read.`);
  }
  return { value, answer: <T>(schema: z.ZodType<T>, { body }: ToolAnswer): T => value(schema, body) };
}
