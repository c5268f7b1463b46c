import { matchesEntityTag } from '@x/http';
import type { Context, Hono } from 'hono';
import { type BuiltPage, toEntityTag } from './read-page.ts';

/**
 * Adds the routes of the page and of its files, each by its exact path: no path of a request ever becomes a path of the
 * file system.
 */
export function addPageRoutes(app: Hono, { html, assets }: BuiltPage): void {
  const headers = { ...pageHeaders, ETag: toEntityTag(html) };
  const answer = (c: Context): Response =>
    matchesEntityTag(c.req.header('If-None-Match'), headers.ETag)
      ? new Response(null, { status: 304, headers })
      : new Response(html, { headers });
  for (const path of pagePaths) app.get(path, answer);
  for (const [name, { body, type }] of assets) {
    app.get(`/assets/${name}`, () => new Response(body, { headers: { ...assetHeaders, 'Content-Type': type } }));
  }
}

/** The start page, and the pages that mails and redirects lead to. */
const pagePaths = ['/', '/auth/error', '/verify', '/reset', '/mfa'] as const;

/** The page may only load files and data from its own origin, and nothing inline. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': policy,
  'Cross-Origin-Opener-Policy': 'same-origin',
} as const;

/** The name of a file changes with its content. */
const assetHeaders = { 'Cache-Control': 'public, max-age=31536000, immutable' } as const;
