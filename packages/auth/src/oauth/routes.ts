import { z } from 'zod';
import {
  type AuthOutcome,
  type AuthRequest,
  type AuthRoute,
  jsonResponse,
  okAfter,
  okResponse,
  type Serialized,
} from '../request/route.ts';
import { sessionCookieParts } from '../session/routes.ts';
import { completeFlow } from './callback.ts';
import { listOAuthAccounts, type OwnOAuthAccount, unlinkOAuthAccount } from './link.ts';
import { listProviders, type OAuthDependencies, type PublicProvider } from './oauth.ts';
import { linkInput, startFlow, startLink } from './start.ts';
import { clearedFlowCookies } from './state.ts';

/**
 * The routes of sign-in with providers.
 *
 * @param providers - the configured providers
 * @param hasStrictCookies - whether browsers leave the session out when a provider redirects
 */
export function oauthRoutes(
  providers: readonly FlowProvider[],
  { hasStrictCookies }: { readonly hasStrictCookies: boolean },
): readonly AuthRoute<{ readonly oauth: OAuthDependencies }>[] {
  const list: AuthRoute<{ readonly oauth: OAuthDependencies }> = {
    name: 'listProviders',
    method: 'get',
    path: '/providers',
    summary: 'List the providers to sign in with',
    csrf: 'none',
    caller: 'anyone',
    response: jsonResponse(
      'The providers, in the configured order.',
      z.strictObject({ providers: z.array(publicProvider) }),
    ),
    run: (deps) => ({ body: { providers: listProviders(deps.oauth) } }),
  };
  const every = toEnum(providers);
  const posting = toEnum(providers.filter(({ responseMode }) => responseMode === 'form_post'));
  return [
    list,
    ...(every ? [...flowRoutes(every, hasStrictCookies), ...accountRoutes] : []),
    ...(posting ? [postedCallbackRoute(posting)] : []),
  ];
}

/** The parts of a provider that its routes depend on. */
export interface FlowProvider {
  readonly id: string;
  readonly responseMode?: 'form_post' | undefined;
}

function toEnum(providers: readonly FlowProvider[]): z.ZodType | null {
  const [first, ...rest] = providers.map(({ id }) => id);
  return first === undefined ? null : z.enum([first, ...rest]);
}

const publicProvider: z.ZodType<Serialized<PublicProvider>> = z.strictObject({
  id: z.string().meta({ examples: ['github'] }),
  name: z.string().meta({ examples: ['GitHub'] }),
  url: z.string().meta({ examples: ['/api/auth/oauth/github'] }),
});

/** One cookie for each flow, named after its state. */
const flowCookies = ['oauth.<state>'] as const;

function flowRoutes(
  provider: z.ZodType,
  hasStrictCookies: boolean,
): readonly AuthRoute<{ readonly oauth: OAuthDependencies }>[] {
  const redirectTo = z.string().meta({
    description: 'Where to go afterwards: a path of the app. Anything else is ignored.',
    examples: ['/projects'],
  });
  const continued = z.string().meta({ description: 'Set by a page of this route itself.' });
  return [
    {
      name: 'startOAuth',
      method: 'get',
      hasEffects: true,
      path: '/oauth/:provider',
      summary: 'Sign in with a provider',
      csrf: 'none',
      caller: 'anyone',
      parameters: { provider },
      query: { redirectTo },
      response: { status: 302, description: 'Redirects to the provider.', cookies: flowCookies },
      errors: ['RATE_LIMITED', 'NOT_FOUND'],
      async run(deps, request) {
        const flow = { redirectTo: only(request.query['redirectTo']) };
        const { url, cookies } = await startFlow(deps.oauth, providerOf(request), flow, request);
        return { location: url, cookies };
      },
    },
    {
      name: 'startOAuthLink',
      method: 'post',
      path: '/oauth/:provider/link',
      summary: 'Start linking an identity at a provider to your account',
      csrf: 'unless-exempt',
      caller: 'session-owner',
      parameters: { provider },
      input: { schema: linkInput, isOptional: true },
      response: {
        ...jsonResponse('The URL to send the browser to.', z.strictObject({ url: z.string() })),
        cookies: flowCookies,
      },
      errors: ['STEP_UP_REQUIRED', 'NOT_FOUND'],
      async run(deps, request) {
        const { input = {} } = request;
        const { url, cookies } = await startLink(deps.oauth, providerOf(request), input, request);
        return { body: { url }, cookies };
      },
    },
    {
      name: 'completeOAuth',
      method: 'get',
      hasEffects: true,
      path: '/oauth/:provider/callback',
      summary: 'Callback of a provider',
      description:
        'Ends on a page of the app: signed in, asked for the second factor, or with `?error=` and one of ' +
        '`invalid_state`, `provider_denied`, `provider_error`, `email_required`, `account_already_linked`, ' +
        '`user_setup_failed`, `sign_in_refused` (with the `reason` of the app).',
      csrf: 'none',
      caller: 'anyone',
      parameters: { provider },
      query: { code: z.string(), state: z.string(), error: z.string(), iss: z.string(), continued },
      response: {
        status: 302,
        description: 'Redirects to a page of the app.',
        ...(hasStrictCookies && { page: 'At a link: a page that goes on to the same URL, with the session cookies.' }),
        cookies: [...sessionCookieParts, 'mfa', ...flowCookies],
      },
      errors: ['NOT_FOUND'],
      run: (deps, request) => completeAndClear(deps.oauth, request),
    },
  ];
}

/**
 * Where a provider posts its response: turns it into a GET of the callback, and does nothing else. The browser leaves
 * our cookies out of a post from another site, but sends those that are Lax with the GET. Any page can post here, and
 * gains no more than by a link to the callback: nothing is read but the form.
 *
 * @see OAuth 2.0 Form Post Response Mode
 */
function postedCallbackRoute(provider: z.ZodType): AuthRoute<{ readonly oauth: OAuthDependencies }> {
  return {
    name: 'postOAuthResponse',
    method: 'post',
    path: '/oauth/:provider/callback',
    summary: 'Callback of a provider that posts its response',
    description: 'Goes on to the GET of the same path. Other fields of the form are dropped.',
    csrf: 'none',
    caller: 'anyone',
    parameters: { provider },
    input: { schema: flowResponseForm, encoding: 'form' },
    response: { status: 303, description: 'Redirects to the GET.' },
    errors: ['NOT_FOUND'],
    run: (_deps, { input }) => ({ location: `?${toFlowQuery(input)}`, status: 303, cookies: [] }),
  };
}

const flowResponseForm = z.object({
  code: z.string().optional(),
  state: z.string().optional(),
  error: z.string().optional(),
  iss: z.string().optional(),
});

/** Keeps the fields of the form that the callback knows; a repeated one counts as absent. */
function toFlowQuery(form: unknown): URLSearchParams {
  const query = new URLSearchParams();
  if (!(form instanceof URLSearchParams)) return query;
  for (const name of Object.keys(flowResponseForm.shape)) {
    const value = only(form.getAll(name));
    if (value !== undefined) query.set(name, value);
  }
  return query;
}

/** An identity that its owner can sign in with. */
const oauthAccount: z.ZodType<Serialized<OwnOAuthAccount>> = z.strictObject({
  provider: z.string().meta({ examples: ['github'] }),
  providerId: z.string(),
  email: z.string().nullable(),
});

const accountRoutes: readonly AuthRoute<{ readonly oauth: OAuthDependencies }>[] = [
  {
    name: 'listOAuthAccounts',
    method: 'get',
    path: '/oauth-accounts',
    summary: 'List the identities that are linked to your account',
    csrf: 'none',
    caller: 'user',
    response: jsonResponse('The identities.', z.strictObject({ accounts: z.array(oauthAccount) })),
    run: async (deps, request) => ({ body: { accounts: await listOAuthAccounts(deps.oauth, request) } }),
  },
  {
    name: 'unlinkOAuthAccount',
    method: 'delete',
    path: '/oauth-accounts/:provider',
    summary: 'Unlink your identities at a provider, even one that is no longer configured',
    csrf: 'unless-exempt',
    caller: 'session-owner',
    parameters: { provider: z.string() },
    response: okResponse('They are unlinked.'),
    errors: ['STEP_UP_REQUIRED', 'NOT_FOUND', 'LAST_SIGN_IN_METHOD'],
    run: (deps, request) => okAfter(unlinkOAuthAccount(deps.oauth, providerOf(request), request)),
  },
];

/** Clears the cookie of the flow if it is over, after success and failure alike. */
async function completeAndClear(deps: OAuthDependencies, request: AuthRequest): Promise<AuthOutcome> {
  const { code, state, error, iss, continued } = request.query;
  const response = {
    code: only(code),
    state: only(state),
    error: only(error),
    iss: only(iss),
    continued: continued?.[0],
  };
  try {
    return await completeFlow(deps, providerOf(request), response, request);
  } catch (fault) {
    return { error: fault, cookies: clearedFlowCookies(deps.config, request.headers, response.state) };
  }
}

function providerOf({ parameters }: AuthRequest): string {
  return parameters['provider'] ?? '';
}

/** A repeated parameter counts as absent. */
function only(values: readonly string[] = []): string | undefined {
  return values.length === 1 ? values[0] : undefined;
}
