import fc from 'fast-check';
import type { OpenApi } from './openapi.ts';

/** What inputs are made of, as the document's JSON Schemas say it. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  propertyNames?: Schema;
  items?: Schema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

/** As the schema says; at its limits and one beyond; or like nothing that it says. */
export type Mood = 'valid' | 'boundary' | 'hostile';

const HOSTILE: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    1e308,
    2 ** 53,
    0.5,
    '',
    ' ',
    '\0',
    '\ud800',
    '\u202e',
    "'; --",
    '../..',
  ),
  fc.constantFrom<unknown>(
    [],
    {},
    [[[]]],
    { __proto__: null, constructor: 1 },
    'x'.repeat(70_000),
    '0000-01-01T00:00:00Z',
  ),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.jsonValue({ maxDepth: 3 }),
);

const TEXTS = [
  'nora@example.com',
  'https://example.com/x',
  'http://127.0.0.1:9/x',
  'en',
  'Weekly',
  'preferences',
  '#00ff00',
];

/** @param idsOf those that exist of what a field is named after, so that some calls find something */
export function inputsOf(openapi: OpenApi, idsOf: (name: string) => readonly string[]) {
  const resolve = (schema: Schema): Schema =>
    schema.$ref === undefined
      ? schema
      : resolve(openapi.components.schemas[schema.$ref.split('/').at(-1) ?? ''] as Schema);

  function stringOf(
    { format, pattern, minLength = 0, maxLength = 300 }: Schema,
    mood: Mood,
    name: string,
  ): fc.Arbitrary<unknown> {
    if (format === 'uuid')
      return fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...idsOf(name)) }, fc.uuid());
    if (format === 'date-time') {
      const time = fc.date({ min: new Date(0), max: new Date('2200-01-01'), noInvalidDate: true });
      const zone = fc.constantFrom('Z', '+00:00', '-11:30');
      return fc.tuple(time, zone).map(([at, offset]) => at.toISOString().replace('Z', offset));
    }
    if (format === 'date') {
      return fc
        .date({ noInvalidDate: true, min: new Date(0), max: new Date('2200-01-01') })
        .map((at) => at.toISOString().slice(0, 10));
    }
    if (pattern !== undefined) {
      // fast-check makes up no text for what must not follow.
      const positive = new RegExp(pattern.replace(/\(\?![^)]*\)/g, ''));
      return fc.stringMatching(positive, { size: 'small' }).filter((text) => new RegExp(pattern).test(text));
    }
    if (mood === 'boundary') {
      const lengths = [minLength - 1, minLength, maxLength, maxLength + 1].filter(
        (one) => one >= 0 && one < 20_000,
      );
      return fc.constantFrom(...lengths).map((length) => 'a'.repeat(length));
    }
    const fitting = TEXTS.filter((text) => text.length >= minLength && text.length <= maxLength);
    const any = fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, minLength + 40) });
    return fitting.length === 0 ? any : fc.oneof(any, fc.constantFrom(...fitting));
  }

  function objectOf(schema: Schema, mood: Mood, name: string): fc.Arbitrary<unknown> {
    const { properties = {}, required = [], additionalProperties, propertyNames } = schema;
    const names = (propertyNames?.enum ?? []) as string[];
    if (typeof additionalProperties === 'object') {
      const keys = names.length > 0 ? fc.constantFrom(...names) : fc.string({ maxLength: 20 });
      return fc.dictionary(keys, valueOf(additionalProperties, mood, name), { maxKeys: 4 });
    }
    const fields = Object.entries(properties).map(([key, field]) => [
      key,
      valueOf(field, mood, key === 'id' ? name : key),
    ]);
    return fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, {
      requiredKeys: required.filter((key) => key in properties),
    });
  }

  function arrayOf(
    { items = {}, minItems = 0, maxItems = 10 }: Schema,
    mood: Mood,
    name: string,
  ): fc.Arbitrary<unknown> {
    const most = Math.min(maxItems, minItems + 3);
    const usual = fc.array(valueOf(items, mood, name), { minLength: minItems, maxLength: most });
    if (mood !== 'boundary' || maxItems > 300) return usual;
    return fc.oneof(
      usual,
      valueOf(items, 'valid', name).map((one) => Array.from({ length: maxItems + 1 }, () => one)),
    );
  }

  function numberOf(
    { type, minimum = -1000, maximum = 1_000_000 }: Schema,
    mood: Mood,
  ): fc.Arbitrary<unknown> {
    const limits = fc.constantFrom(minimum - 1, minimum, maximum, maximum + 1);
    if (mood === 'boundary') return limits;
    return type === 'integer'
      ? fc.integer({ min: minimum, max: maximum })
      : fc.double({ min: minimum, max: maximum, noNaN: true });
  }

  function wellFormed(schema: Schema, mood: Mood, name: string): fc.Arbitrary<unknown> {
    const { const: only, enum: some, anyOf = [], oneOf = [] } = schema;
    const branches = [...anyOf, ...oneOf];
    if (branches.length > 0) return fc.oneof(...branches.map((one) => valueOf(one, mood, name)));
    if (only !== undefined) return fc.constant(only);
    if (some !== undefined) return fc.constantFrom(...some);
    const [type] = [schema.type].flat();
    if (type === 'object') return objectOf(schema, mood, name);
    if (type === 'array') return arrayOf(schema, mood, name);
    if (type === 'string') return stringOf(schema, mood, name);
    if (type === 'number' || type === 'integer') return numberOf(schema, mood);
    if (type === 'boolean') return fc.boolean();
    return type === 'null' ? fc.constant(null) : fc.jsonValue({ maxDepth: 2 });
  }

  function valueOf(schema: object, mood: Mood, name: string): fc.Arbitrary<unknown> {
    const fitting = wellFormed(resolve(schema as Schema), mood, name);
    if (mood !== 'hostile') return fitting;
    return fc.oneof({ weight: 5, arbitrary: fitting }, { weight: 1, arbitrary: HOSTILE });
  }

  /** The example of a body, of what exists here, whole or with one of its fields as the mood has it. */
  function exampleOf(example: unknown, schema: object, mood: Mood): fc.Arbitrary<unknown> {
    const here = existing(example, '', idsOf);
    const whole = fc.constant(here);
    const fields = Object.entries(resolve(schema as Schema).properties ?? {});
    if (typeof here !== 'object' || here === null || fields.length === 0) return whole;
    const changed = fc
      .constantFrom(...fields)
      .chain(([name, field]) => valueOf(field, mood, name).map((value) => ({ ...here, [name]: value })));
    return mood === 'valid' ? fc.oneof(whole, changed) : changed;
  }

  return { valueOf, exampleOf };
}

/** Of an example, with ids that exist in place of its own, and no host but this one. */
function existing(value: unknown, name: string, idsOf: (name: string) => readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((one) => existing(one, name, idsOf));
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value);
    return Object.fromEntries(
      fields.map(([key, one]) => [key, existing(one, key === 'id' ? name : key, idsOf)]),
    );
  }
  if (typeof value !== 'string') return value;
  if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(value)) return idsOf(name)[0];
  return value.replace('https://shop.example.com', 'http://127.0.0.1:9');
}
