import { describe, expect, it } from 'vitest';
import { hasChangedLink } from './changed-link.ts';

describe('a link', () => {
  it.each([
    "/preferences?campaign=spring'",
    '/preferences?campaign=spring%22',
    '/preferences?a=1&b=%3Cscript%3E',
    '/preferences?a=<b',
  ])('was changed by a scanner: %s', (url) => {
    expect(hasChangedLink(url)).toBe(true);
  });

  it.each([
    '/preferences?campaign=it%27s-spring',
    "/preferences?challenge=abc'",
    '/preferences?amp;challenge=abc%22',
    "/it's?campaign=spring",
    '/preferences',
  ])('was left as it is: %s', (url) => {
    expect(hasChangedLink(url)).toBe(false);
  });

  it('of a megabyte of equals signs is read once, not once for each of them', () => {
    expect(hasChangedLink(`/preferences?${'='.repeat(1_000_000)}`)).toBe(false);
  });
});
