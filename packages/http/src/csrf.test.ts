import { CodedError, toLogger } from '@x/errors';
import fc from 'fast-check';
import { Hono } from 'hono';
import { describe, expect, it, vi } from 'vitest';
import {
  createCsrfPolicy,
  csrfFailed,
  type CsrfPolicy,
  passesCsrfCheck,
  type RequestOrigin,
  sendsAppCookie,
} from './csrf.ts';
import { csrf } from './csrf-middleware.ts';
import { errorHandler } from './render.ts';

const production = createCsrfPolicy({
  baseUrl: 'https://app.example.com/sub/path',
  trustedOrigins: ['https://admin.example.com'],
  production: true,
});
const development = createCsrfPolicy({ baseUrl: 'http://localhost:3000', trustedOrigins: [], production: false });

const none = { origin: undefined, referer: undefined, secFetchSite: undefined, port: '3000' };
const from = (facts: Partial<RequestOrigin>): RequestOrigin => ({ ...none, csrfHeader: '1', ...facts });

describe('passesCsrfCheck', () => {
  it.each([
    'https://app.example.com',
    'https://APP.Example.com',
    'HTTPS://app.example.com',
    'https://app.example.com:443',
    'https://admin.example.com',
  ])('accepts the origin %s', (origin) => {
    expect(passesCsrfCheck(from({ origin }), production)).toBe(true);
  });

  it.each([
    'null',
    '',
    'http://app.example.com',
    'https://app.example.com:8443',
    'https://app.example.com.evil',
    'https://evil-app.example.com',
    'https://example.com',
    'https://app.example.com.',
    'https://app.example.com@evil.example',
    'https://evil@app.example.com',
    'https://@app.example.com',
    'https://app.example.com/',
    'https://app.example.com#',
    'https://app.example.com:',
    'https://app.example.com:0443',
    'https://%61pp.example.com',
    'https://\uff41pp.example.com',
    'https://app.ex\u00adample.com',
    'https://app.example.com\\@evil.example',
    'https://app.exa\tmple.com',
    'https://app.example.com https://app.example.com',
    'https://app.example.com, https://evil.example',
    '//app.example.com',
    'app.example.com',
    'file://',
    'javascript:1',
  ])('refuses the origin %j', (origin) => {
    expect(passesCsrfCheck(from({ origin }), production)).toBe(false);
  });

  it.each([undefined, '', '0', 'true', '11', ' 1', '1, 1'])('refuses the header value %j', (csrfHeader) => {
    expect(passesCsrfCheck({ ...from({ origin: 'https://app.example.com' }), csrfHeader }, production)).toBe(false);
  });

  it('decides by the referer if there is no origin, and by nothing else', () => {
    expect(passesCsrfCheck(from({ referer: 'https://app.example.com/page?x=1' }), production)).toBe(true);
    expect(passesCsrfCheck(from({ referer: 'https://app.example.com.evil/' }), production)).toBe(false);
    expect(passesCsrfCheck(from({ referer: 'https://app.example.com@evil.example/' }), production)).toBe(false);
    expect(passesCsrfCheck(from({ referer: 'about:blank' }), production)).toBe(false);
    expect(passesCsrfCheck(from({ referer: 'garbage' }), production)).toBe(false);
    expect(passesCsrfCheck(from({ origin: 'null', referer: 'https://app.example.com/' }), production)).toBe(false);
    expect(passesCsrfCheck(from({}), production)).toBe(false);
  });

  it('refuses a cross-site request unless it comes from a trusted origin', () => {
    const secFetchSite = 'cross-site';
    expect(passesCsrfCheck(from({ origin: 'https://app.example.com', secFetchSite }), production)).toBe(false);
    expect(passesCsrfCheck(from({ origin: 'https://admin.example.com', secFetchSite }), production)).toBe(true);
    expect(passesCsrfCheck(from({ referer: 'https://admin.example.com/', secFetchSite }), production)).toBe(false);
    expect(passesCsrfCheck(from({ referer: 'https://admin.example.com/' }), production)).toBe(true);
    expect(passesCsrfCheck(from({ origin: 'https://app.example.com', secFetchSite: 'same-origin' }), production)).toBe(
      true,
    );
  });

  it('counts localhost and 127.0.0.1 on the port of the request as own only outside production', () => {
    for (const origin of ['http://localhost:4000', 'http://127.0.0.1:4000']) {
      expect(passesCsrfCheck(from({ origin, port: '4000' }), development)).toBe(true);
      expect(passesCsrfCheck(from({ origin, port: '4001' }), development)).toBe(false);
      expect(passesCsrfCheck(from({ origin, port: '4000' }), production)).toBe(false);
    }
    expect(passesCsrfCheck(from({ origin: 'http://localhost', port: '80' }), development)).toBe(true);
    expect(passesCsrfCheck(from({ origin: 'https://localhost:4000', port: '4000' }), development)).toBe(false);
    expect(passesCsrfCheck(from({ origin: 'http://localhost.evil:4000', port: '4000' }), development)).toBe(false);
  });

  it('takes Sec-Fetch-Site: same-origin in place of the header, or nothing, only where the policy says so', () => {
    const origin = 'https://app.example.com';
    const isAccepted = (evidence: CsrfPolicy['evidence'], facts: Partial<RequestOrigin>): boolean =>
      passesCsrfCheck({ ...none, csrfHeader: undefined, origin, ...facts }, { ...production, evidence });
    expect(isAccepted('header', { secFetchSite: 'same-origin' })).toBe(false);
    expect(isAccepted('fetch-metadata', { secFetchSite: 'same-origin' })).toBe(true);
    expect(isAccepted('fetch-metadata', { csrfHeader: '1' })).toBe(true);
    for (const secFetchSite of [undefined, 'same-site', 'cross-site', 'none', 'SAME-ORIGIN', '']) {
      expect(isAccepted('fetch-metadata', { secFetchSite })).toBe(false);
    }
    expect(isAccepted('none', {})).toBe(true);
    for (const evidence of ['fetch-metadata', 'none'] as const) {
      for (const other of ['https://evil.example', 'null', undefined]) {
        expect(isAccepted(evidence, { origin: other, secFetchSite: 'same-origin' })).toBe(false);
      }
    }
  });

  it('accepts no origin that differs from the configured ones in any character', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(25), (text, at) => {
        const own = 'https://app.example.com';
        const origin = own.slice(0, at) + text + own.slice(at);
        fc.pre(!['https://app.example.com', 'https://app.example.com:443'].includes(origin.toLowerCase()));
        expect(passesCsrfCheck(from({ origin }), production)).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('csrfFailed', () => {
  const own = 'http://localhost:3000';

  it.each<[Partial<RequestOrigin>, string]>([
    [{ csrfHeader: undefined, origin: own }, 'It needs the header X-APP-Request: 1.'],
    [{ csrfHeader: 'true', origin: own }, 'It needs the header X-APP-Request: 1.'],
    [{}, 'It needs an Origin or a Referer.'],
    [{ origin: 'http://localhost:3001' }, 'Its Origin http://localhost:3001 is not that of baseUrl or a trusted one.'],
    [{ origin: 'null', referer: own }, 'Its Origin null is not that of baseUrl or a trusted one.'],
    [
      { referer: 'https://evil.example/a?b' },
      'Its Referer https://evil.example is not that of baseUrl or a trusted one.',
    ],
    [
      { csrfHeader: undefined, origin: 'https://evil.example' },
      'It needs the header X-APP-Request: 1. Its Origin https://evil.example is not that of baseUrl or a trusted one.',
    ],
    [{ origin: own, secFetchSite: 'cross-site' }, `Its Origin ${own} is not one of the trustedOrigins.`],
  ])('says outside production what %j lacks', (facts, reason) => {
    expect(passesCsrfCheck(from(facts), development)).toBe(false);
    const message = 'The request was not sent by a page of this application.';
    expect(csrfFailed(from(facts), development)).toMatchObject({
      code: 'CSRF_FAILED',
      message: `${message} ${reason}`,
    });
    expect(csrfFailed(from(facts), production).message).toBe(message);
  });

  it('says what else counts as the header', () => {
    const policy = { ...development, evidence: 'fetch-metadata' } as const;
    expect(csrfFailed({ ...none, csrfHeader: undefined }, policy).message).toContain(
      'It needs the header X-APP-Request: 1, or Sec-Fetch-Site: same-origin.',
    );
  });
});

describe('csrf', () => {
  const ownPage = { 'x-app-request': '1', origin: 'https://app.example.com' };

  function appThatWrites(isExempt?: Parameters<typeof csrf>[1]): { app: Hono; written: () => number } {
    const app = new Hono();
    let written = 0;
    app.onError(errorHandler(toLogger(false)));
    app.post('/', csrf(production, isExempt), (c) => {
      written += 1;
      return c.json({ ok: true });
    });
    return { app, written: () => written };
  }

  it('refuses with CSRF_FAILED a request that no page of the app sent, and runs no handler', async () => {
    for (const isExempt of [undefined, () => false, async () => false]) {
      const { app, written } = appThatWrites(isExempt);
      const response = await app.request('/', { method: 'POST' });
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ error: { code: 'CSRF_FAILED' } });
      expect(written()).toBe(0);
    }
  });

  it('lets an exempt request pass', async () => {
    for (const isExempt of [() => true, async () => true]) {
      const { app, written } = appThatWrites(isExempt);
      expect((await app.request('/', { method: 'POST' })).status).toBe(200);
      expect(written()).toBe(1);
    }
  });

  it('asks whether a request is exempt only if it would refuse it', async () => {
    const isExempt = vi.fn<NonNullable<Parameters<typeof csrf>[1]>>(
      (c) => c.req.header('authorization') === 'Bearer good',
    );
    const { app } = appThatWrites(isExempt);
    expect((await app.request('/', { method: 'POST', headers: ownPage })).status).toBe(200);
    expect(isExempt).not.toHaveBeenCalled();
    expect((await app.request('/', { method: 'POST', headers: { authorization: 'Bearer good' } })).status).toBe(200);
    expect((await app.request('/', { method: 'POST', headers: { authorization: 'Bearer bad' } })).status).toBe(403);
    expect(isExempt).toHaveBeenCalledTimes(2);
  });

  it('lets nothing pass if the exemption cannot be decided', async () => {
    const { app, written } = appThatWrites(async () => {
      throw new CodedError('SERVICE_UNAVAILABLE', 'Later.');
    });
    expect((await app.request('/', { method: 'POST' })).status).toBe(503);
    expect(written()).toBe(0);
  });
});

describe('sendsAppCookie', () => {
  it.each([
    'app.sid=a',
    'app.ref=',
    'app.mfa',
    'app.oauth.0a1b=x',
    'app.=',
    'theme=dark; app.sid=a',
    'theme=dark;app.sid=a',
    'theme=dark ;\t app.sid = a',
    ' app.sid=a',
    ';;app.sid=a',
    '"app.sid"=a',
    'theme=dark, app.sid=a',
    'theme="dark; app.sid=a"',
    'theme="dark"; app.sid="a"',
    'theme; app.sid=a',
  ])('says yes to %j', (cookie) => {
    expect(sendsAppCookie(new Headers({ cookie }))).toBe(true);
  });

  it.each([
    '',
    ';',
    'theme=dark',
    'app=a',
    'apple.sid=a',
    'application=app.sid',
    'APP.sid=a',
    'App.sid=a',
    'myapp.sid=a',
    'my-app.sid=a',
    '.app.sid=a',
    'theme=app.sid=a',
    'app%2Esid=a',
  ])('says no to %j', (cookie) => {
    expect(sendsAppCookie(new Headers({ cookie }))).toBe(false);
  });

  it('looks for another prefix where the app has one', () => {
    for (const cookie of ['tracker.sid=a', 'app.sid=a; "tracker.ref"=b']) {
      expect(sendsAppCookie(new Headers({ cookie }), 'tracker')).toBe(true);
    }
    for (const cookie of ['app.sid=a', 'tracker=a', 'x-tracker.sid=a']) {
      expect(sendsAppCookie(new Headers({ cookie }), 'tracker')).toBe(false);
    }
  });

  it('looks at every Cookie line and at no other header', () => {
    const headers = new Headers({ 'x-cookie': 'app.sid=a' });
    expect(sendsAppCookie(headers)).toBe(false);
    headers.append('cookie', 'theme=dark');
    headers.append('cookie', 'app.sid=a');
    expect(sendsAppCookie(headers)).toBe(true);
  });
});
