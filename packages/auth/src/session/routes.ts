import { CodedError } from '@x/errors';
import { z } from 'zod';
import { type CurrentSession, type Principal, requirePrincipal } from '../principal/principal.ts';
import { readScopedCookie } from '../request/headers.ts';
import {
  type AuthOutcome,
  type AuthResponse,
  type AuthRoute,
  type CookiePart,
  cookiesOrCleared,
  jsonResponse,
  okAfter,
  okOutcome,
  okResponse,
  type Serialized,
  timestamp,
} from '../request/route.ts';
import { clearedSessionCookies, cookieName } from './cookies.ts';
import { listSessions, type OwnSession } from './list.ts';
import { refreshSession } from './refresh.ts';
import { revokeOtherSessions, revokeSession, signOut } from './revoke.ts';
import type { SessionDependencies } from './session.ts';

/** The routes of sessions. */
export function sessionRoutes(user: z.ZodType): readonly AuthRoute<{ readonly sessions: SessionDependencies }>[] {
  const current = z.strictObject({
    id: z.string(),
    user,
    expiresAt: jwtExpiry,
    claims: z.record(z.string(), z.unknown()),
  });
  return [
    {
      name: 'signOut',
      method: 'post',
      path: '/signout',
      summary: 'Sign out',
      description: 'Works with an expired JWT, too, by the refresh token. Signing out twice is not an error.',
      csrf: 'unless-exempt',
      caller: 'visitor',
      response: okResponse('Signed out.', sessionCookieParts),
      run: async (deps, request) => ({ ...okOutcome, ...(await signOut(deps.sessions, request)) }),
    },
    {
      name: 'getSession',
      method: 'get',
      path: '/session',
      summary: 'Get the current session',
      description:
        'Without a valid JWT there is none. If the request carries a refresh token, `X-APP-Refresh: possible` says that ' +
        'a refresh may give it one; without that header, a refresh is refused.',
      csrf: 'none',
      caller: 'visitor',
      response: jsonResponse(
        'The session; null without a sign-in, or by a credential without a session, whose principal is there then.',
        z.strictObject({ session: current.nullable(), principal: sessionlessPrincipal.optional() }),
      ),
      run(deps, { headers }) {
        const principal = deps.sessions.authenticator.authenticate(headers);
        const toOutcome = (known: Principal | null): AuthOutcome =>
          known === null ? noSession(deps.sessions, headers) : toSessionOutcome(known);
        return principal instanceof Promise ? principal.then(toOutcome) : toOutcome(principal);
      },
    },
    {
      name: 'refreshSession',
      method: 'post',
      path: '/refresh',
      summary: 'Get a new JWT for the refresh token',
      csrf: 'unless-exempt',
      caller: 'refresh-token',
      response: signInResponse('Refreshed.', user),
      errors: ['SESSION_EXPIRED', 'RATE_LIMITED'],
      run: ({ sessions }, request) =>
        cookiesOrCleared(refreshSession(sessions, request), () => clearedSessionCookies(sessions.config)),
    },
    {
      name: 'listSessions',
      method: 'get',
      path: '/sessions',
      summary: 'List your sessions, the most recently active first',
      csrf: 'none',
      caller: 'user',
      response: jsonResponse('The active sessions.', z.strictObject({ sessions: z.array(ownSession) })),
      run: async (deps, request) => ({ body: { sessions: await listSessions(deps.sessions, request) } }),
    },
    {
      name: 'revokeSession',
      method: 'delete',
      path: '/sessions/:id',
      summary: 'End one of your sessions',
      csrf: 'unless-exempt',
      caller: 'user',
      parameters: { id: z.string() },
      response: okResponse('The session has ended.'),
      errors: ['SESSION_NOT_FOUND'],
      run: (deps, request) => okAfter(revokeSession(deps.sessions, request.parameters['id'] ?? '', request)),
    },
    {
      name: 'revokeOtherSessions',
      method: 'delete',
      path: '/sessions',
      summary: 'End all your sessions but the current one',
      csrf: 'unless-exempt',
      caller: 'user',
      response: jsonResponse('They have ended.', z.strictObject({ ok: z.literal(true), revoked: z.int().min(0) })),
      run: async (deps, request) => ({ body: { ok: true, ...(await revokeOtherSessions(deps.sessions, request)) } }),
    },
  ];
}

/** One of a user's active sessions. */
export const ownSession: z.ZodType<Serialized<OwnSession>> = z.strictObject({
  id: z.string(),
  deviceName: z.string().meta({ examples: ['Firefox on Windows'] }),
  ipAddress: z.string().nullable(),
  isCurrent: z.boolean(),
  createdAt: timestamp,
  lastActiveAt: timestamp,
  expiresAt: timestamp,
});

/** The cookies that carry a session. */
export const sessionCookieParts: readonly CookiePart[] = ['sid', 'ref'];

/** When the JWT of a response expires. */
const jwtExpiry: z.ZodType = timestamp.describe('When the JWT expires; refresh before.');

/** Describes the response of any kind of sign-in. */
export function signInResponse(
  description: string,
  user: z.ZodType,
  more: Readonly<Record<string, z.ZodType>> = {},
): AuthResponse {
  return {
    status: 200,
    description,
    schema: z.strictObject({ user, expiresAt: jwtExpiry, ...more }),
    cookies: sessionCookieParts,
  };
}

/** An encoded access set: an entitlement in neither list is denied. */
const accessSet = z.strictObject({
  allow: z.array(z.string()).describe('The names of what is allowed.'),
  deny: z
    .record(z.string(), z.looseObject({ reasons: z.array(z.string()) }))
    .describe('The denied entitlements, each with what would change that.'),
  plans: z.record(z.string(), z.string()).describe("The tenant's plans, by group."),
});

/** The route of the caller's access set: the JWT names the user, the stores give the content. */
export const accessSetRoute: AuthRoute<{ readonly sessions: SessionDependencies }> = {
  name: 'getAccessSet',
  method: 'get',
  path: '/access-set',
  summary: 'Get what the caller may do in the current tenant',
  description: 'Advisory, for what a page shows: the server decides again on every request.',
  csrf: 'none',
  caller: 'user',
  response: { ...jsonResponse('The access set.', z.strictObject({ accessSet })), isConditional: true },
  async run(deps, { headers }) {
    const subject = requirePrincipal(await deps.sessions.authenticator.authenticate(headers));
    if (deps.sessions.accessSet === null) throw new CodedError('NOT_FOUND', 'There are no access sets.');
    const { set, hash } = await deps.sessions.accessSet(subject);
    return { body: { accessSet: set }, etag: hash };
  },
};

/** Scripts can't see the refresh token, so the response says whether there is one, without looking it up. */
function noSession({ config }: SessionDependencies, headers: Headers): AuthOutcome {
  return readScopedCookie(headers, cookieName(config, 'ref')) === null ? signedOut : notRefreshed;
}

const signedOut: AuthOutcome = { body: JSON.stringify({ session: null }) };

const notRefreshed: AuthOutcome = { ...signedOut, headers: { 'X-APP-Refresh': 'possible' } };

function toSessionOutcome(principal: Principal): AuthOutcome {
  const known = cachedOutcomes.get(principal);
  if (known !== undefined) return known;
  const { session, userId, tenantId, role, credential } = principal;
  const body = session
    ? { session: toSentSession(session) }
    : { session: null, principal: { userId, tenantId, role, credential } };
  const outcome = { body: JSON.stringify(body) };
  cachedOutcomes.set(principal, outcome);
  return outcome;
}

/** Clients are told nothing of second factors but by `/mfa/status`. */
function toSentSession({ id, user, expiresAt, claims }: CurrentSession): Omit<CurrentSession, 'secondFactorAt'> {
  return { id, user, expiresAt, claims };
}

/** All requests with a token have the same principal, so a session is serialized only once. */
const cachedOutcomes = new WeakMap<Principal, AuthOutcome>();

const sessionlessPrincipal = z.strictObject({
  userId: z.string(),
  tenantId: z.string().nullable(),
  role: z.string(),
  credential: z.string(),
});
