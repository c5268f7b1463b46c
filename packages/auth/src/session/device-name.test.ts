import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deviceName } from './device-name.ts';

const android = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko)';
const linux = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)';
const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)';
const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const iPhone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';

describe('deviceName', () => {
  it.each([
    ['Chrome on Android', `${android} Chrome/126.0.0.0 Mobile Safari/537.36`],
    ['Chrome on Android', `${android} Version/4.0 Chrome/126.0.0.0 Mobile Safari/537.36`],
    ['Firefox on Android', 'Mozilla/5.0 (Android 14; Mobile; rv:127.0) Gecko/127.0 Firefox/127.0'],
    ['Samsung Internet on Android', `${android} SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36`],
    ['Microsoft Edge on Android', `${android} Chrome/126.0.6478.122 Mobile Safari/537.36 EdgA/126.0.2592.68`],
    ['Opera on Android', `${android} Chrome/126.0.0.0 Mobile Safari/537.36 OPR/82.0.0.0`],
    ['Chrome on Linux', `${linux} Chrome/126.0.0.0 Safari/537.36`],
    ['Firefox on Linux', 'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0'],
    ['Microsoft Edge on Windows', `${windows} Chrome/126.0.0.0 Safari/537.36 Edg/126.0.2592.68`],
    ['Chrome on Windows', `${windows} Chrome/126.0.0.0 Safari/537.36`],
    ['Firefox on Windows', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:127.0) Gecko/20100101 Firefox/127.0'],
    ['Safari on macOS', `${mac} Version/17.5 Safari/605.1.15`],
    ['Chrome on macOS', `${mac} Chrome/126.0.0.0 Safari/537.36`],
    ['Safari on iPhone', `${iPhone} Version/17.5 Mobile/15E148 Safari/604.1`],
    ['Chrome on iPhone', `${iPhone} CriOS/126.0.6478.54 Mobile/15E148 Safari/604.1`],
    ['Firefox on iPhone', `${iPhone} FxiOS/127.0 Mobile/15E148 Safari/605.1.15`],
    ['Safari on iPad', `${iPhone.replaceAll('iPhone', 'iPad')} Version/17.5 Mobile/15E148 Safari/604.1`],
    ['Chrome on Chrome OS', `${linux.replace('Linux', 'CrOS')} Chrome/126.0.0.0 Safari/537.36`],
    ['curl', 'curl/8.5.0'],
    ['okhttp', 'okhttp/4.12.0'],
    ['Go-http-client', 'Go-http-client/2.0'],
    ['node', 'node'],
    ['MyApp', 'MyApp/1.0 CFNetwork/1494.0.7 Darwin/23.4.0'],
    ['Dalvik on Android', 'Dalvik/2.1.0 (Linux; U; Android 13; Pixel 6 Build/TQ3A)'],
  ])('names %s', (name, userAgent) => {
    expect(deviceName(userAgent)).toBe(name);
    expect(deviceName(userAgent)).toBe(name);
  });

  it.each([
    null,
    '',
    ' ',
    '/',
    'Mozilla/5.0',
    `Mozilla/5.0 (${'x'.repeat(490)})`,
    `Mozilla/5.0 <b>you</b>/1 (x`,
    '<script>alert(1)</script>/1.0 x',
    '__proto__/1.0',
    `${'A'.repeat(400)}/1.0 tail`,
  ])('recognizes no device in %j', (userAgent) => {
    expect(deviceName(userAgent)).toBe('Unknown device');
  });

  it('repeats at most a short word of a hostile user agent, and never throws', () => {
    const pieces = fc.constantFrom(
      ...[
        'Mozilla/5.0 ',
        '(Linux; Android 10; K) ',
        'Chrome/1 ',
        'iPhone',
        'Nokia 1.',
        '(',
        ')',
        ';',
        '/',
        ' ',
        '\u202e',
      ],
      ...[
        '\0',
        '\n',
        '\u0085',
        '<img src=x onerror=alert(1)>',
        '\ud800',
        'constructor',
        '\\',
        '%00',
        'é',
        '１',
        'A'.repeat(99),
      ],
    );
    const userAgents = fc.oneof(
      fc.array(pieces, { maxLength: 60 }).map((chosen) => chosen.join('')),
      fc.string({ unit: 'binary', maxLength: 512 }),
      fc.string({ unit: 'grapheme-ascii', maxLength: 512 }),
    );
    fc.assert(
      fc.property(userAgents, (userAgent) => {
        expect(deviceName(userAgent.slice(0, 512))).toMatch(/^[\w. -]{1,80}$/);
      }),
      { numRuns: 300 },
    );
  });
});
