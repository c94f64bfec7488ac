import { describe, expect, it } from 'vitest';
import { addressOfLink } from './email.ts';

describe('the address of a link', () => {
  it.each([
    ['vera@example.com', 'vera@example.com'],
    // A tool that encodes nothing: the plus arrives as a space.
    ['vera news@example.com', 'vera+news@example.com'],
    ['vera a b@example.com', 'vera+a+b@example.com'],
    ['vera+news@example.com', 'vera+news@example.com'],
    [' vera@example.com ', 'vera@example.com'],
    ['foo..bar@docomo.example', 'foo..bar@docomo.example'],
    ['"john doe"@example.com', '"john doe"@example.com'],
    ['vera\u200b@example.com', 'vera@example.com'],
    ['vera@example.com.', 'vera@example.com'],
    ['vera news@βόλος.com', 'vera+news@βόλος.com'],
    ['Vera', null],
    ['*|EMAIL|*', null],
    ['', null],
    ['vera @ example com', null],
    ['vera@example.com\u200b', 'vera@example.com'],
    ['\ufeffvera@exam\u00adple.com', 'vera@example.com'],
    ['&lt;vera@example.com', null],
    ['mailto:vera@example.com', 'vera@example.com'],
    [' <vera@example.com>;', 'vera@example.com'],
    ['"vera@example.com".', 'vera@example.com'],
    ["o'hara@example.com'", "o'hara@example.com"],
  ])('of %j is read as %j', (text, address) => {
    expect(addressOfLink(text)).toBe(address);
  });
});
