/** QR codes (ISO/IEC 18004) of texts in bytes, with error correction of level M, up to version 12: 287 bytes. */

/** Of each version: bytes for error correction in a block, and blocks. */
const BLOCKS: readonly (readonly [number, number])[] = [
  [10, 1],
  [16, 1],
  [26, 1],
  [18, 2],
  [24, 2],
  [16, 4],
  [18, 4],
  [22, 4],
  [22, 5],
  [26, 5],
  [30, 5],
  [22, 8],
];

type Grid = boolean[][];

const range = (length: number) => Array.from({ length }, (_, index) => index);

function multiply(x: number, y: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((y >>> bit) & 1) * x;
  }
  return product;
}

/** Reed-Solomon: the coefficients of the generator, the highest one left out. */
function generatorOf(degree: number): number[] {
  const coefficients = [...range(degree - 1).map(() => 0), 1];
  let root = 1;
  for (let step = 0; step < degree; step += 1) {
    for (let at = 0; at < degree; at += 1) {
      coefficients[at] = multiply(coefficients[at] ?? 0, root) ^ (coefficients[at + 1] ?? 0);
    }
    root = multiply(root, 2);
  }
  return coefficients;
}

function remainderOf(data: readonly number[], generator: readonly number[]): number[] {
  const remainder = generator.map(() => 0);
  for (const byte of data) {
    const factor = byte ^ (remainder.shift() ?? 0);
    remainder.push(0);
    generator.forEach((coefficient, at) => {
      remainder[at] = (remainder[at] ?? 0) ^ multiply(coefficient, factor);
    });
  }
  return remainder;
}

function rawModules(version: number): number {
  let modules = (16 * version + 128) * version + 64;
  if (version >= 2) {
    const count = Math.floor(version / 7) + 2;
    modules -= (25 * count - 10) * count - 55;
    if (version >= 7) modules -= 36;
  }
  return modules;
}

function blocksOf(version: number): readonly [number, number] {
  const found = BLOCKS[version - 1];
  if (found === undefined) throw new Error('The text is too long for a QR code');
  return found;
}

function dataBytes(version: number): number {
  const [correction, blocks] = blocksOf(version);
  return Math.floor(rawModules(version) / 8) - correction * blocks;
}

const lengthBits = (version: number) => (version < 10 ? 8 : 16);

function versionFor(bytes: number): number {
  let version = 1;
  while (4 + lengthBits(version) + bytes * 8 > dataBytes(version) * 8) version += 1;
  return version;
}

/** The text as data bytes: mode, length, bytes, and what fills up the rest. */
function encode(text: Uint8Array, version: number): number[] {
  const bits: number[] = [];
  const push = (value: number, length: number) => {
    for (let bit = length - 1; bit >= 0; bit -= 1) bits.push((value >>> bit) & 1);
  };
  push(4, 4);
  push(text.length, lengthBits(version));
  for (const byte of text) push(byte, 8);
  const capacity = dataBytes(version) * 8;
  push(0, Math.min(4, capacity - bits.length));
  push(0, (8 - (bits.length % 8)) % 8);
  for (let fill = 0xec; bits.length < capacity; fill ^= 0xec ^ 0x11) push(fill, 8);
  return range(bits.length / 8).map((at) =>
    bits.slice(at * 8, at * 8 + 8).reduce((byte, bit) => (byte << 1) | bit, 0),
  );
}

/** With error correction, block by block, interleaved. */
function withCorrection(data: readonly number[], version: number): number[] {
  const [correction, count] = blocksOf(version);
  const raw = Math.floor(rawModules(version) / 8);
  const shortBlocks = count - (raw % count);
  const shortData = Math.floor(raw / count) - correction;
  const generator = generatorOf(correction);
  let at = 0;
  const blocks = range(count).map((index) => {
    const bytes = data.slice(at, at + shortData + (index < shortBlocks ? 0 : 1));
    at += bytes.length;
    return { bytes, check: remainderOf(bytes, generator) };
  });
  const columns = (pick: (block: (typeof blocks)[number]) => number[], length: number) =>
    range(length).flatMap((column) => blocks.flatMap((block) => pick(block)[column] ?? []));
  return [...columns(({ bytes }) => bytes, shortData + 1), ...columns(({ check }) => check, correction)];
}

function alignmentsOf(version: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
  const last = version * 4 + 10;
  return [6, ...range(count - 1).map((index) => last - (count - 2 - index) * step)];
}

interface Canvas {
  size: number;
  dark: Grid;
  /** Of the code itself: no data goes there. */
  fixed: Grid;
  set: (x: number, y: number, isDark: boolean) => void;
}

function canvasOf(version: number): Canvas {
  const size = version * 4 + 17;
  const dark = range(size).map(() => range(size).map(() => false));
  const fixed = range(size).map(() => range(size).map(() => false));
  const set = (x: number, y: number, isDark: boolean) => {
    const [row, fixedRow] = [dark[y], fixed[y]];
    if (row === undefined || fixedRow === undefined || x < 0 || x >= size) return;
    row[x] = isDark;
    fixedRow[x] = true;
  };
  return { size, dark, fixed, set };
}

function drawFinder({ set }: Canvas, centreX: number, centreY: number): void {
  for (let y = -4; y <= 4; y += 1) {
    for (let x = -4; x <= 4; x += 1) {
      const distance = Math.max(Math.abs(x), Math.abs(y));
      set(centreX + x, centreY + y, distance !== 2 && distance !== 4);
    }
  }
}

function drawPatterns(canvas: Canvas, version: number): void {
  const { size, set } = canvas;
  for (let at = 0; at < size; at += 1) {
    set(6, at, at % 2 === 0);
    set(at, 6, at % 2 === 0);
  }
  drawFinder(canvas, 3, 3);
  drawFinder(canvas, size - 4, 3);
  drawFinder(canvas, 3, size - 4);
  const places = alignmentsOf(version);
  const last = places.at(-1) ?? 0;
  for (const x of places) {
    for (const y of places) {
      const isCorner = (x === 6 && (y === 6 || y === last)) || (x === last && y === 6);
      if (!isCorner) drawAlignment(canvas, x, y);
    }
  }
}

function drawAlignment({ set }: Canvas, centreX: number, centreY: number): void {
  for (let y = -2; y <= 2; y += 1) {
    for (let x = -2; x <= 2; x += 1) {
      set(centreX + x, centreY + y, Math.max(Math.abs(x), Math.abs(y)) !== 1);
    }
  }
}

const bitOf = (value: number, bit: number) => ((value >>> bit) & 1) === 1;

function drawFormat({ size, set }: Canvas, mask: number): void {
  // Level M is 0.
  let check = mask;
  for (let step = 0; step < 10; step += 1) check = (check << 1) ^ ((check >>> 9) * 0x537);
  const bits = ((mask << 10) | check) ^ 0x5412;
  for (let at = 0; at <= 5; at += 1) set(8, at, bitOf(bits, at));
  set(8, 7, bitOf(bits, 6));
  set(8, 8, bitOf(bits, 7));
  set(7, 8, bitOf(bits, 8));
  for (let at = 9; at < 15; at += 1) set(14 - at, 8, bitOf(bits, at));
  for (let at = 0; at < 8; at += 1) set(size - 1 - at, 8, bitOf(bits, at));
  for (let at = 8; at < 15; at += 1) set(8, size - 15 + at, bitOf(bits, at));
  set(8, size - 8, true);
}

function drawVersion({ size, set }: Canvas, version: number): void {
  if (version < 7) return;
  let check = version;
  for (let step = 0; step < 12; step += 1) check = (check << 1) ^ ((check >>> 11) * 0x1f25);
  const bits = (version << 12) | check;
  for (let at = 0; at < 18; at += 1) {
    const [far, near] = [size - 11 + (at % 3), Math.floor(at / 3)];
    set(far, near, bitOf(bits, at));
    set(near, far, bitOf(bits, at));
  }
}

/** Upwards and downwards in columns of two, from the right; the timing column is left out. */
function drawData({ size, dark, fixed }: Canvas, bytes: readonly number[]): void {
  let at = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let vertical = 0; vertical < size; vertical += 1) {
      for (const x of [right, right - 1]) {
        const isUpward = ((right + 1) & 2) === 0;
        const y = isUpward ? size - 1 - vertical : vertical;
        const row = dark[y];
        if (row === undefined || fixed[y]?.[x] === true || at >= bytes.length * 8) continue;
        row[x] = bitOf(bytes[at >>> 3] ?? 0, 7 - (at & 7));
        at += 1;
      }
    }
  }
}

const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

function masked({ dark, fixed }: Canvas, mask: (x: number, y: number) => boolean): Grid {
  return dark.map((row, y) => row.map((isDark, x) => isDark !== (fixed[y]?.[x] !== true && mask(x, y))));
}

const FINDER_LIKE = ['10111010000', '00001011101'];

/** The fewer points, the easier to read: long runs, squares, what looks like a finder, too much of one colour. */
function penaltyOf(grid: Grid): number {
  const rows = grid.map((row) => row.map((isDark) => (isDark ? '1' : '0')).join(''));
  const columns = range(rows.length).map((x) => rows.map((row) => row[x]).join(''));
  let points = 0;
  for (const line of [...rows, ...columns]) {
    for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) points += run.length - 2;
    for (let at = 0; at + 11 <= line.length; at += 1) {
      if (FINDER_LIKE.includes(line.slice(at, at + 11))) points += 40;
    }
  }
  for (let y = 0; y + 1 < rows.length; y += 1) {
    for (let x = 0; x + 1 < rows.length; x += 1) {
      const square = `${rows[y]?.slice(x, x + 2)}${rows[y + 1]?.slice(x, x + 2)}`;
      if (square === '0000' || square === '1111') points += 3;
    }
  }
  const share = rows.join('').replaceAll('0', '').length / rows.length ** 2;
  return points + Math.floor(Math.abs(share * 20 - 10)) * 10;
}

/** @returns rows of modules, `true` for dark ones; the quiet zone of four modules is not among them */
export function qrCode(text: string): boolean[][] {
  const bytes = new TextEncoder().encode(text);
  const version = versionFor(bytes.length);
  const canvas = canvasOf(version);
  drawPatterns(canvas, version);
  drawFormat(canvas, 0);
  drawVersion(canvas, version);
  drawData(canvas, withCorrection(encode(bytes, version), version));
  const candidates = MASKS.map((mask, index) => {
    drawFormat(canvas, index);
    const grid = masked(canvas, mask);
    return { grid, points: penaltyOf(grid) };
  });
  return candidates.reduce((best, one) => (one.points < best.points ? one : best)).grid;
}

/** The dark modules as a path of an SVG, one unit each. */
export function qrPath(grid: readonly (readonly boolean[])[]): string {
  return grid
    .flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join('');
}
