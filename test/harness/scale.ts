const factor = Number(process.env['TEST_SCALE'] ?? 1);

if (!(factor >= 1)) throw new Error(`TEST_SCALE is ${process.env['TEST_SCALE']}: use a number from 1.`);

/**
 * The size of a long proof: `size` in every run of all tests, `TEST_SCALE` times as much when someone asks for it.
 * `TEST_SCALE=50 npm run prove` runs them all at full length, which takes hours.
 */
export function scaled(size: number): number {
  return Math.ceil(size * factor);
}
