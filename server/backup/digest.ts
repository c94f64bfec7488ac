import { hash } from 'node:crypto';

const LANES = 8;

/**
 * One value for all rows of a table, whatever their order: the sum of their SHA-256, modulo 2^32 in each of its eight
 * parts. PostgreSQL gives rows in the order in which they lie, which is another one after each restore.
 */
export class RowsDigest {
  rows = 0;
  private readonly lanes = new Uint32Array(LANES);

  /** @param row with its line end, as COPY gives it */
  add(row: Buffer): void {
    const digest = hash('sha256', row, 'buffer');
    for (let lane = 0; lane < LANES; lane += 1) {
      this.lanes[lane] = (this.lanes[lane] ?? 0) + digest.readUInt32BE(lane * 4);
    }
    this.rows += 1;
  }

  get hex(): string {
    return [...this.lanes].map((lane) => lane.toString(16).padStart(8, '0')).join('');
  }
}
