import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ERROR_CODES } from '#contract/errors.ts';
import { scopesOf } from '#contract/roles.ts';
import type { Route } from '#contract/route.ts';
import { ROUTES } from '#contract/routes.ts';

/** What this reads of a JSON Schema, as Zod writes it. */
interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  description?: string;
}

const HEAD = `/* Made from the API's contract. */

export type ErrorCode =
${ERROR_CODES.map((code) => `  | '${code}'`).join('\n')};

/** A call that failed. \`status\` 0: no answer came, or none that could be read. */
export declare class SaysoError extends Error {
  readonly status: number;
  /** The first error's code; null if the server sent none. */
  readonly code: ErrorCode | null;
  /** Dotted path of the field that is wrong; null: none in particular. */
  readonly field: string | null;
  readonly errors: { code: ErrorCode; message: string; field?: string }[];
  readonly data: Record<string, unknown> | null;
  /** Include it when you report a problem. */
  readonly requestId: string | null;
}

/**
 * A client of one site, with a method for every call that an API key may make.
 * @throws TypeError for a URL or a key that can't be one; its calls reject with \`SaysoError\`
 */
export declare function createSayso(options: SaysoOptions): Sayso;
`;

function comment(text: string | undefined, indent: string): string {
  if (text === undefined || text === '') return '';
  const lines = text.replaceAll('*/', '* /').split('\n');
  return lines.length === 1
    ? `${indent}/** ${lines[0]} */\n`
    : `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

const nameOf = (name: string) => (/^[a-zA-Z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

function unionOf(parts: string[]): string {
  return [...new Set(parts)].join(' | ');
}

function objectOf(schema: Schema, indent: string): string {
  const { properties = {}, required = [], additionalProperties: others } = schema;
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, field]) => {
    const mark = required.includes(name) ? '' : '?';
    return `${comment(field.description, inner)}${inner}${nameOf(name)}${mark}: ${typeOf(field, inner)};\n`;
  });
  if (fields.length > 0) return `{\n${fields.join('')}${indent}}`;
  return typeof others === 'object' ? `Record<string, ${typeOf(others, indent)}>` : 'Record<string, never>';
}

function plainType(type: string, schema: Schema, indent: string): string {
  if (type === 'array') {
    const item = typeOf(schema.items ?? {}, indent);
    return schema.items?.type === 'object' || /^\w+$/.test(item) ? `${item}[]` : `(${item})[]`;
  }
  if (type === 'object') return objectOf(schema, indent);
  if (type === 'integer' || type === 'number') return 'number';
  return type;
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return schema.$ref.replace('#/$defs/', '');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return unionOf(schema.enum.map((one) => JSON.stringify(one)));
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) return unionOf(either.map((one) => typeOf(one, indent)));
  if (schema.type !== undefined) {
    return unionOf([schema.type].flat().map((type) => plainType(type, schema, indent)));
  }
  if (schema.allOf !== undefined) return schema.allOf.map((one) => typeOf(one, indent)).join(' & ');
  return 'unknown';
}

/** Writes the types of what an API key may call; names are those of the contract's schemas. */
function createWriter() {
  const named = new Map<string, string>();

  /** Inside of something, because a schema's own name is only used by what holds it. */
  function schemaOf(type: z.ZodType, io: 'input' | 'output'): Schema {
    const schema = JSON.stringify(z.toJSONSchema(z.object({ it: type }), { io, unrepresentable: 'any' }));
    // What has defaults is not the same where it is sent and where it is answered.
    const suffix = io === 'input' ? 'Input' : '';
    const { $defs = {}, properties = {} } = JSON.parse(
      schema.replaceAll(/"#\/\$defs\/(\w+)"/g, `"#/$defs/$1${suffix}"`),
    ) as Schema;
    for (const [name, definition] of Object.entries($defs)) {
      named.set(`${name}${suffix}`, `export type ${name}${suffix} = ${typeOf(definition, '')};\n`);
    }
    return properties['it'] ?? {};
  }

  function pathFields({ params }: Route): string[] {
    const fields = Object.keys(params?.shape ?? {}).filter((name) => !/^(organization|site)_id$/.test(name));
    const types = params === undefined ? {} : (schemaOf(params, 'input').properties ?? {});
    return fields.map((name) => `${name}: ${typeOf(types[name] ?? {}, '  ')}`);
  }

  function callOf(route: Route): { text: string; isOptional: boolean } {
    const path = pathFields(route);
    const mustBody = route.body !== undefined && !route.body.safeParse(undefined).success;
    const parts = [
      ...path,
      ...(route.query === undefined ? [] : [`query?: ${typeOf(schemaOf(route.query, 'input'), '  ')}`]),
      ...(route.body === undefined
        ? []
        : [`body${mustBody ? '' : '?'}: ${typeOf(schemaOf(route.body, 'input'), '  ')}`]),
      ...(route.file === undefined ? [] : ['file: Blob']),
    ];
    const isOptional = path.length === 0 && !mustBody && route.file === undefined;
    return { text: parts.length === 0 ? 'Record<never, never>' : `{ ${parts.join('; ')} }`, isOptional };
  }

  function method(name: string, route: Route): string {
    const scopes = scopesOf(route).map((scope) => `\`${scope}\``);
    const text = [
      `${route.summary}.`,
      ...(route.description === undefined ? [] : ['', route.description]),
      '',
      `Scope of the key: ${scopes.join(' or ')}.`,
    ];
    const call = callOf(route);
    const answer = typeOf(schemaOf(route.response, 'output'), '  ');
    return `${comment(text.join('\n'), '  ')}  ${name}: (call${call.isOptional ? '?' : ''}: ${call.text}, options?: CallOptions) => Promise<${answer}>;\n`;
  }

  return { method, definitions: () => [...named.values()] };
}

/** @returns the SDK's declarations, without a single import */
export function publishedTypes(): string {
  const routes = [...ROUTES].filter(([, route]) => scopesOf(route).length > 0);
  const writer = createWriter();
  const methods = routes.map(([name, route]) => writer.method(name, route));
  const options = readFileSync(join(import.meta.dirname, 'sdk/src/public-types.ts'), 'utf8');
  return [
    HEAD,
    options.replace(/^\/\*.*\*\/\n\n/, ''),
    `export interface SaysoMethods {\n${methods.join('\n')}}\n`,
    `type Answer<Name extends keyof SaysoMethods> = Awaited<ReturnType<SaysoMethods[Name]>>;

/** The calls that answer a collection. */
export type CollectionName = {
  [Name in keyof SaysoMethods]: Answer<Name> extends { results: unknown[]; next: string | null } ? Name : never;
}[keyof SaysoMethods];

export interface Sayso extends SaysoMethods {
  readonly site: SaysoSite;
  /** Everything in a collection, page by page as you go through it: \`for await (const one of sayso.each(…))\`. */
  each<Name extends CollectionName>(
    operation: Name,
    ...call: Parameters<SaysoMethods[Name]>
  ): AsyncGenerator<Answer<Name> extends { results: (infer Item)[] } ? Item : never, void, undefined>;
}
`,
    ...writer.definitions(),
  ].join('\n');
}
