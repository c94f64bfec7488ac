import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCUMENT = join(import.meta.dirname, '../../docs/spec-coverage.md');

interface Statement {
  number: number;
  text: string;
}

/** The rows of its tables: `| number | statement |`. */
export function readStatements(): Statement[] {
  return readFileSync(DOCUMENT, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const { number, text } = /^\| +(?<number>\d+) +\| +(?<text>.+?) +\|$/.exec(line)?.groups ?? {};
      return number === undefined || text === undefined ? [] : [{ number: Number(number), text }];
    });
}
