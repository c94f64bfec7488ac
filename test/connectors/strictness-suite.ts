import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FakeTool } from '#test/fakes/tools/fake-tool.ts';

/* What a tool would not take, tried on its fake: one good call, and the same one with a mistake. */

export const EMAIL = 'ada@example.com';

interface Call {
  method: 'POST' | 'PUT' | 'PATCH';
  path: string;
  body: Record<string, unknown>;
}

export interface Strict {
  name: string;
  start(): Promise<FakeTool>;
  headers(fake: FakeTool): Record<string, string>;
  /** Changes something about the person. */
  write(fake: FakeTool): Call;
  /** A path that the tool does not have, and a parameter that a path of it does not have. */
  unknown: { path: string; query: string };
  /** The good body, but for one wrong value. */
  wrong: Record<string, unknown>;
  /** Reads whose answers are whole. */
  reads(fake: FakeTool): string[];
}

export function describeStrictness({ name, start, headers, write, unknown, wrong, reads }: Strict): void {
  describe(`the fake of ${name}`, () => {
    let fake: FakeTool;
    let call: Call;
    let before: ReturnType<FakeTool['holds']>;

    beforeAll(async () => {
      fake = await start();
      fake.addContact(EMAIL);
      call = write(fake);
      before = fake.holds(EMAIL);
    });

    afterAll(() => fake.close());

    async function ask(path: string, how: { method?: string; body?: unknown } = {}) {
      const { method = 'GET', body } = how;
      const type = body !== undefined && { 'content-type': 'application/json' };
      return fetch(`${fake.url}${path}`, {
        method,
        headers: { ...headers(fake), ...type },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    }

    const refused: [string, () => Promise<Response>, number[]][] = [
      ['a path that the tool does not have', () => ask(unknown.path), [404]],
      ['a parameter that the tool does not have', () => ask(unknown.query), [400, 422]],
      [
        'a field that the tool does not have',
        () => ask(call.path, { ...call, body: { ...call.body, nosuch: 1 } }),
        [400, 422],
      ],
      [
        'a misspelt field',
        () => {
          const [[name, value] = ['', null], ...others] = Object.entries(call.body);
          return ask(call.path, { ...call, body: Object.fromEntries([[`${name}x`, value], ...others]) });
        },
        [400, 422],
      ],
      [
        'a value that the tool does not know',
        () => ask(call.path, { ...call, body: { ...call.body, ...wrong } }),
        [400, 422],
      ],
    ];

    it.each(refused)(
      'refuses %s in the form of the tool, and changes nothing',
      async (_what, work, statuses) => {
        const known = fake.violations?.length ?? 0;
        const answer = await work();
        expect(statuses).toContain(answer.status);
        expect(fake.holds(EMAIL)).toEqual(before);
        // Only the mistake: the refusal itself has the tool's form.
        expect(fake.violations?.slice(known).filter((line) => line.includes('answer'))).toEqual([]);
        expect(fake.violations?.length).toBeGreaterThan(known);
      },
    );

    it('answers good calls with all that the tool tells', async () => {
      const known = fake.violations?.length;
      for (const path of reads(fake)) expect([path, (await ask(path)).status]).toEqual([path, 200]);
      expect((await ask(call.path, call)).ok).toBe(true);
      expect(fake.holds(EMAIL)).not.toEqual(before);
      expect(fake.violations?.slice(known)).toEqual([]);
    });
  });
}
