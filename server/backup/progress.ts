import { counted } from '#server/command.ts';

/** A long table says that it goes on. */
const SAY_EVERY_ROWS = 100_000;

/** @returns what is to be told how many rows of the table were copied until now */
export function progressOf(table: string, say: (line: string) => void): (rows: number) => void {
  let said = 0;
  return (rows) => {
    if (rows < said + SAY_EVERY_ROWS) return;
    said = rows;
    say(`${table}: ${counted(rows, 'row')} so far`);
  };
}
