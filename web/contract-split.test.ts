import { describe, expect, it } from 'vitest';
import { withoutSchemas } from './contract-split.ts';

const FILE = '/contract/things.ts';
const split = (code: string) => withoutSchemas(code, FILE);

describe('the half of a contract file without schemas', () => {
  it('takes schemas, and what is made of them, from the other half', () => {
    const code = [
      `import { z } from 'zod';`,
      `export const Thing = z.object({ id: z.string() });`,
      `export const Things = listOf(Thing);`,
      `export const LARGEST = 10;`,
    ].join('\n');
    const half = split(code);
    expect(half).not.toMatch(/z\.object|listOf/);
    expect(half).toContain('LARGEST = 10');
    expect(half).toContain(`export { Thing, Things } from "${FILE}?schemas";`);
  });

  it('keeps of a route what the client reads', () => {
    const half = split(`export const getThing = defineRoute({
      method: 'GET', path: '/things/{id}', params: z.object({ id: Id }), access: 'site', response: Thing,
    });`);
    expect(half).toMatch(/method: 'GET', path: '\/things\/\{id\}',\s*access: 'site'/);
    expect(half).not.toMatch(/params|response|Thing,/);
  });

  it('keeps what a function of Object makes of plain values', () => {
    const code = `const KINDS = { a: 1, b: 2 };\nexport const NAMES = Object.keys(KINDS);`;
    expect(split(code)).toBe(code);
  });

  it('keeps functions that use no schema', () => {
    const code = `export const isLarge = (n: number) => Math.abs(n) > 10;\nexport function twice(n: number) { return Number(n) * 2; }`;
    expect(split(code)).toBe(code);
  });

  it('stops the build when a value that stays uses one that goes', () => {
    const code = `const FIELDS = fieldsOf(Thing);\nexport const has = (name: string) => FIELDS.includes(name);`;
    expect(() => split(code)).toThrow(
      `${FILE}: FIELDS goes with the schemas, and a value that stays uses it`,
    );
  });

  it('stops the build also when such a use is behind a type assertion', () => {
    const code = `const FIELDS = fieldsOf(Thing);\nexport const has = (name: string) => (FIELDS as string[]).includes(name);`;
    expect(() => split(code)).toThrow('FIELDS goes with the schemas');
  });

  it('does not count types, and properties of that name, as uses', () => {
    const code = [
      `const FIELDS = fieldsOf(Thing);`,
      `export type Fields = typeof FIELDS;`,
      `export const empty: { FIELDS: Fields | null } = { FIELDS: null };`,
      `export const read = (one: { FIELDS: number }) => one.FIELDS;`,
    ].join('\n');
    expect(() => split(code)).not.toThrow();
  });
});
