import type { z } from 'zod';

type Override = NonNullable<z.core.ToJSONSchemaParams['override']>;

/** Formats that say all that their pattern says. */
const PLAIN_FORMATS = ['uuid', 'date-time', 'date'];

/** Leaves out of a schema what only a validator reads: patterns of formats, and the bounds of all integers. */
export const readableSchema: Override = ({ jsonSchema }) => {
  if (jsonSchema.format !== undefined && PLAIN_FORMATS.includes(jsonSchema.format)) {
    delete jsonSchema.pattern;
    delete jsonSchema.allOf;
  }
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  nameAlikeFields(jsonSchema);
};

/** Fields that are all alike and all there are shown by their names, as programs read them. */
function nameAlikeFields(jsonSchema: z.core.JSONSchema.BaseSchema): void {
  const { required, additionalProperties: field } = jsonSchema;
  if (jsonSchema.propertyNames === undefined || required === undefined || typeof field !== 'object') return;
  jsonSchema.properties = Object.fromEntries(required.map((name) => [name, field]));
  jsonSchema.additionalProperties = false;
  delete jsonSchema.propertyNames;
}
