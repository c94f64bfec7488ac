import { readFileSync } from 'node:fs';

/** The build puts the value in place of this module. */
export const VERSION = (
  JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
