import { renderJson } from '@x/http';
import type { Context } from 'hono';
import type { SignedIn } from '../session/issue-tokens.ts';

/** Responds to any kind of sign-in; the tokens travel in cookies only. */
export function renderSignedIn(c: Context, { user, expiresAt, cookies }: SignedIn, status: 200 | 201): Response {
  return renderJson(c, { user, expiresAt }, { status, cookies });
}
