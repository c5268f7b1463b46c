import { describe, expect, it } from 'vitest';
import { sendsAppCookie } from './sends-app-cookie.ts';

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

  it('looks at every Cookie line and at no other header', () => {
    const headers = new Headers({ 'x-cookie': 'app.sid=a' });
    expect(sendsAppCookie(headers)).toBe(false);
    headers.append('cookie', 'theme=dark');
    headers.append('cookie', 'app.sid=a');
    expect(sendsAppCookie(headers)).toBe(true);
  });
});
