import { z } from 'zod';
import type { ErrorBody, ErrorCode } from '#contract/errors.ts';
import { scopesOf } from '#contract/roles.ts';
import type { Route } from '#contract/route.ts';
import { EXAMPLE_MESSAGES, EXAMPLE_PROBLEMS, EXAMPLE_VALUES } from './example-values.ts';

/** What examples read from a JSON Schema. */
interface Schema {
  id?: string;
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string | readonly string[];
  format?: string;
  const?: unknown;
  enum?: readonly unknown[];
  examples?: readonly unknown[];
  default?: unknown;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  properties?: Record<string, Schema>;
  required?: readonly string[];
  /** Of an object whose fields are all alike. */
  propertyNames?: Schema;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  minimum?: number;
  minLength?: number;
}

const TIME = '2026-11-25T09:30:00.000Z';

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}

/** Whether a value of the table is one that the field can have: names mean different things in different schemas. */
function fits(schema: Schema, value: unknown, root: Schema): boolean {
  const { $ref, anyOf = [], oneOf = [] } = schema;
  if ($ref !== undefined) return fits(defined($ref, root), value, root);
  const branches = [...anyOf, ...oneOf];
  if (branches.length > 0) return branches.some((branch) => fits(branch, value, root));
  if (schema.const !== undefined) return schema.const === value;
  if (schema.enum !== undefined) return schema.enum.includes(value);
  if (schema.items !== undefined && Array.isArray(value)) {
    const { items } = schema;
    return value.every((one) => fits(items, one, root));
  }
  const types = schema.type === undefined ? [] : [schema.type].flat();
  return types.includes(typeOf(value)) || (types.includes('number') && typeof value === 'number');
}

function defined($ref: string, root: Schema): Schema {
  const name = $ref.split('/').at(-1) ?? '';
  return { ...root.$defs?.[name], id: name };
}

/** The fields of an object whose fields are all alike, where they are named. */
function alikeFields({ propertyNames, additionalProperties }: Schema): [string, Schema][] {
  if (typeof additionalProperties !== 'object') return [];
  return (propertyNames?.enum ?? []).map((field) => [String(field), additionalProperties]);
}

interface Place {
  root: Schema;
  /** The schema or field that the value belongs to. */
  parent: string;
  name: string;
}

function exampleFrom(schema: Schema, { root, parent, name }: Place): unknown {
  const { anyOf = [], oneOf = [], properties = {}, required = [] } = schema;
  const known = [`${parent}.${name}`, name].filter((key) => key in EXAMPLE_VALUES);
  const value = known.map((key) => EXAMPLE_VALUES[key]).find((one) => fits(schema, one, root));
  if (value !== undefined) return value;
  if (schema.$ref !== undefined) return exampleFrom(defined(schema.$ref, root), { root, parent, name });
  const given = [...(schema.examples ?? []), ...(schema.enum ?? []), schema.const, schema.default];
  const first = given.find((one) => one !== undefined);
  if (first !== undefined) return first;
  const [choice] = [...anyOf, ...oneOf];
  if (choice !== undefined) return exampleFrom(choice, { root, parent, name });
  const [type] = [schema.type].flat();
  if (type === 'object') {
    const fields = [...Object.entries(properties), ...alikeFields(schema)].filter(([field]) =>
      required.includes(field),
    );
    const of = schema.id ?? name;
    return Object.fromEntries(
      fields.map(([field, one]) => [field, exampleFrom(one, { root, parent: of, name: field })]),
    );
  }
  if (type === 'array') {
    return schema.items === undefined ? [] : [exampleFrom(schema.items, { root, parent, name })];
  }
  if (type === 'boolean') return true;
  if (type === 'number' || type === 'integer') return Math.max(schema.minimum ?? 1, 1);
  if (type === 'null') return null;
  if (schema.format === 'date-time') return TIME;
  return 'Example'.padEnd(schema.minLength ?? 0, '.');
}

/**
 * What the route accepts or answers: its example in the contract, or its required fields with theirs. The reference
 * would make up empty strings, which most fields reject.
 */
export function exampleOf(type: z.ZodType, io: 'input' | 'output' = 'input'): unknown {
  const root = z.toJSONSchema(type, { io, unrepresentable: 'any' }) as Schema;
  return exampleFrom(root, { root, parent: '', name: '' });
}

/** The words of a refusal by a call, if they are known. */
function messageOf(code: ErrorCode, route: Route): string | undefined {
  const scopes = scopesOf(route);
  if (code === 'forbidden') {
    return scopes.length > 0
      ? `This API key needs the scope ${scopes.join(' or ')}. Create a key that has it.`
      : "API keys can't use this route. Log in to the dashboard, or use an access token.";
  }
  if (code === 'rate_limited') {
    const cause =
      scopes.length > 0 ? 'This API key made more than 1,200 calls this minute.' : 'Too many attempts.';
    return `${cause} Wait 12 seconds and try again.`;
  }
  if (code === 'invalid_field') {
    const names = [route.body, route.query].flatMap((part) =>
      part instanceof z.ZodObject ? Object.keys(part.shape) : [],
    );
    return names.map((name) => EXAMPLE_PROBLEMS[name]).find((problem) => problem !== undefined);
  }
  return EXAMPLE_MESSAGES[code];
}

/** The first of these refusals whose words are known. */
export function exampleOfError(codes: readonly ErrorCode[], route: Route): ErrorBody | undefined {
  for (const code of codes) {
    const message = messageOf(code, route);
    if (message === undefined) continue;
    const [, field] = /^(\w+): /.exec(message) ?? [];
    const data = code === 'rate_limited' ? { retry_after_seconds: 12 } : null;
    return { message, data, meta: { errors: [{ code, message, ...(field !== undefined && { field }) }] } };
  }
  return undefined;
}
