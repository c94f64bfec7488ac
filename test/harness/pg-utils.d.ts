declare module 'pg/lib/utils.js' {
  /** How pg writes a parameter in text form: null, a Buffer for bytea, else text. */
  export function prepareValue(value: unknown): string | Buffer | null;
}
