import { expect, it } from 'vitest';
import { CONNECTORS } from './index.ts';

it.each(CONNECTORS.map(({ name, logo }) => [name, logo] as const))(
  '%s is shown with its own logo, which fits its box',
  (_name, logo) => {
    expect(logo?.colour).toMatch(/^#[0-9A-F]{6}$/);
    // Starts at a point within the 24 by 24 of the viewBox.
    const [x, y] = (logo?.path.match(/^M\s*(-?[\d.]+)[\s,]*(-?[\d.]+)/i) ?? []).slice(1).map(Number);
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x).toBeLessThanOrEqual(24);
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y).toBeLessThanOrEqual(24);
  },
);

it('no two tools share a logo', () => {
  const paths = CONNECTORS.map(({ logo }) => logo?.path);
  expect(new Set(paths).size).toBe(CONNECTORS.length);
});
