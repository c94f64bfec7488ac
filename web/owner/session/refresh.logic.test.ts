import { describe, expect, it } from 'vitest';
import { afterRefusal, lifetimeOf, msUntilRenewal } from './refresh.logic.ts';

const NOW = 1_000_000;

function jwt(claims: object): string {
  return `x.${btoa(JSON.stringify(claims)).replaceAll('+', '-').replaceAll('/', '_')}.y`;
}

describe('after a rejected call, the session', () => {
  const state = { usedToken: 'old', storedToken: 'old', refreshedAt: 0, now: NOW };

  it('is refreshed when the last refresh is 60 s ago (spec 97)', () => {
    expect(afterRefusal({ ...state, refreshedAt: NOW - 60_000 })).toBe('refresh');
  });

  it('ends when it was refreshed within 60 s (spec 97)', () => {
    expect(afterRefusal({ ...state, refreshedAt: NOW - 59_999 })).toBe('log_out');
  });

  it('uses the tokens that another tab stored meanwhile, however recent', () => {
    expect(afterRefusal({ ...state, storedToken: 'new', refreshedAt: NOW - 1 })).toBe('reload');
  });

  it('ends when another tab logged out', () => {
    expect(afterRefusal({ ...state, storedToken: null })).toBe('log_out');
  });
});

describe('renewal', () => {
  const tenMinutes = jwt({ iat: 100, exp: 700 });

  it('reads the lifetime from the token', () => {
    expect(lifetimeOf(tenMinutes)).toBe(600_000);
    expect(lifetimeOf('not.a-jwt.at-all')).toBeNull();
    expect(lifetimeOf('opaque')).toBeNull();
  });

  it('comes a minute before the end, by the clock of this machine', () => {
    expect(msUntilRenewal(tenMinutes, NOW, NOW)).toBe(540_000);
    expect(msUntilRenewal(tenMinutes, NOW, NOW + 540_000)).toBe(0);
    expect(msUntilRenewal(tenMinutes, NOW, NOW + 9_999_999)).toBe(0);
  });

  it('waits half the life of a very short token', () => {
    expect(msUntilRenewal(jwt({ iat: 0, exp: 10 }), NOW, NOW)).toBe(5000);
  });
});
