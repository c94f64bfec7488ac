import type { z } from 'zod';
import { ConnectorError, type ToolAnswer } from './connector.ts';

/** Those that are as expected. */
export function readable<T>(schema: z.ZodType<T>, given: readonly unknown[]): T[] {
  return given.flatMap((one) => {
    const { data } = schema.safeParse(one);
    return data === undefined ? [] : [data];
  });
}

/**
 * Reads what a tool answers: what is used of it is as expected, or nothing is done with it.
 * @returns all throw ConnectorError `unavailable` for another shape
 */
export function readerOf(tool: string) {
  const oddAnswer = () => new ConnectorError('unavailable', `${tool} sent a response we couldn't read.`);
  function value<T>(schema: z.ZodType<T>, given: unknown): T {
    const parsed = schema.safeParse(given);
    if (parsed.success) return parsed.data;
    throw oddAnswer();
  }

  /** Reads rows one by one: one that can't be read is left out, unless it is all of them. */
  function each<T>(schema: z.ZodType<T>, given: readonly unknown[]): T[] {
    const rows = readable(schema, given);
    if (rows.length === 0 && given.length > 0) throw oddAnswer();
    return rows;
  }

  return { value, each, answer: <T>(schema: z.ZodType<T>, { body }: ToolAnswer): T => value(schema, body) };
}
