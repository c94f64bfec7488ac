import { counted } from '#server/command.ts';

/** A long table says that it goes on. */
const SAY_EVERY_ROWS = 100_000;

export interface Progress {
  /** How many rows of the table were copied until now. */
  onRows(rows: number): void;
}

export function progressOf(table: string, say: (line: string) => void): Progress {
  let said = 0;
  return {
    onRows(rows) {
      if (rows < said + SAY_EVERY_ROWS) return;
      said = rows;
      say(`${table}: ${counted(rows, 'row')} so far`);
    },
  };
}
