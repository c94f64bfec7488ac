import { z } from 'zod';

/** What examples read from a JSON Schema. */
interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string;
  const?: unknown;
  enum?: readonly unknown[];
  examples?: readonly unknown[];
  default?: unknown;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  properties?: Record<string, Schema>;
  required?: readonly string[];
  items?: Schema;
  minimum?: number;
  minLength?: number;
}

function exampleFrom(schema: Schema, root: Schema): unknown {
  const { $ref, type, anyOf = [], oneOf = [], properties = {}, required = [] } = schema;
  if ($ref !== undefined) return exampleFrom(root.$defs?.[$ref.split('/').at(-1) ?? ''] ?? {}, root);
  const given = [...(schema.examples ?? []), ...(schema.enum ?? []), schema.const, schema.default];
  const first = given.find((value) => value !== undefined);
  if (first !== undefined) return first;
  const [choice] = [...anyOf, ...oneOf];
  if (choice !== undefined) return exampleFrom(choice, root);
  if (type === 'object') {
    const fields = Object.entries(properties).filter(([name]) => required.includes(name));
    return Object.fromEntries(fields.map(([name, field]) => [name, exampleFrom(field, root)]));
  }
  if (type === 'array') return schema.items === undefined ? [] : [exampleFrom(schema.items, root)];
  if (type === 'boolean') return true;
  if (type === 'number' || type === 'integer') return schema.minimum ?? 1;
  return 'Example'.padEnd(schema.minLength ?? 0, '.');
}

/**
 * A body that the route accepts: its example in the contract, or its required fields with theirs. The reference would
 * invent empty strings, which most fields reject.
 */
export function exampleOf(body: z.ZodType): unknown {
  const schema = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as Schema;
  return exampleFrom(schema, schema);
}
