import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { qrCode, qrPath } from './qr.ts';

const drawn = (text: string) => qrCode(text).map((row) => row.map((isDark) => (isDark ? '#' : '.')).join(''));

// Read back by a decoder (jsQR) when they were written down, as was every length up to 287 bytes.
describe('a QR code', () => {
  it('of a short text is the one that decoders read', () => {
    expect(drawn('Sayso')).toEqual([
      '#######...##..#######',
      '#.....#...###.#.....#',
      '#.###.#.#..#..#.###.#',
      '#.###.#.##.##.#.###.#',
      '#.###.#.##..#.#.###.#',
      '#.....#.#.##..#.....#',
      '#######.#.#.#.#######',
      '........###..........',
      '#.#####...##..#####..',
      '#.##.#.#.######...#.#',
      '..#.#.#..#..#.##.###.',
      '#......#.######..####',
      '...####..##.#..#.#...',
      '........#.#.#..#...#.',
      '#######...##.#..####.',
      '#.....#.#.#....#####.',
      '#.###.#.#.##.#..##.#.',
      '#.###.#.#.######..#..',
      '#.###.#.#.#.#.##.#...',
      '#.....#..######.###..',
      '#######.###.#...#..#.',
    ]);
  });

  it('of an address for an authenticator app is the one that decoders read', () => {
    const rows = qrCode(
      'otpauth://totp/Sayso:nora%40example.com?issuer=Sayso&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
    );
    const text = rows.map((row) => row.map((isDark) => (isDark ? 1 : 0)).join('')).join('\n');
    expect(createHash('sha256').update(text).digest('hex')).toBe(
      '075274547edf9ee501c290f9b5b9a1b21c1bc2335dc1f1afb9f0069bee9c78cf',
    );
  });

  it('takes 287 bytes and no more', () => {
    expect(qrCode('x'.repeat(287))).toHaveLength(65);
    expect(() => qrCode('x'.repeat(288))).toThrow('too long');
  });

  it('is drawn one unit for each dark module', () => {
    expect(
      qrPath([
        [true, false],
        [false, true],
      ]),
    ).toBe('M0 0h1v1h-1zM1 1h1v1h-1z');
  });
});
