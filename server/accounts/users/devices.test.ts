import { describe, expect, it } from 'vitest';
import { deviceOf } from './devices.ts';

const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0';

describe('browser and system', () => {
  it.each([
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36`, 'chrome', 'windows'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36 Edg/142.0`, 'edge', 'windows'],
    [`Mozilla/5.0 (X11; CrOS x86_64 16000) ${CHROME} Safari/537.36`, 'chrome', 'chromeos'],
    [`Mozilla/5.0 (Linux; Android 15; K) ${CHROME} Mobile Safari/537.36`, 'chrome', 'android'],
    [
      `Mozilla/5.0 (Linux; Android 15; K) SamsungBrowser/29.0 ${CHROME} Mobile Safari/537.36`,
      'samsung',
      'android',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0',
      'firefox',
      'macos',
    ],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/26.0 Safari/605.1.15', 'safari', 'macos'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) CriOS/142.0 Mobile Safari/604.1',
      'chrome',
      'ios',
    ],
    ['curl/8.9', null, null],
    ['', null, null],
  ])('of %s', (userAgent, browser, system) => {
    expect(deviceOf(userAgent)).toEqual({ browser, system });
  });

  it('are unknown without a user agent', () => {
    expect(deviceOf(undefined)).toEqual({ browser: null, system: null });
  });
});
