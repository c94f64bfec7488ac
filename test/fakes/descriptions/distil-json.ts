/* What both halves of `distil.ts` make descriptions of. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Fields = Record<string, Json>;

export const isFields = (value: Json | undefined): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const fieldsOf = (value: Json | undefined): Fields => (isFields(value) ? value : {});

export function put(paths: Fields, wanted: string, operation: Fields): void {
  const [method = '', path = ''] = wanted.split(' ');
  paths[path] = { ...fieldsOf(paths[path]), [method]: operation };
}
