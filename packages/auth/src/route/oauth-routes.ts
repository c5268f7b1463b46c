import { z } from 'zod';
import type { OwnOAuthAccount } from '../oauth/link.ts';
import type { PublicProvider } from '../oauth/oauth.ts';
import { linkInput } from '../oauth/start.ts';
import { done, shown, type Wire } from './answers.ts';
import type { AuthFeatures } from './auth-features.ts';
import type { AuthRoute } from './auth-route.ts';

const publicProvider: z.ZodType<Wire<PublicProvider>> = z.strictObject({
  id: z.string().meta({ examples: ['github'] }),
  name: z.string().meta({ examples: ['GitHub'] }),
  url: z.string().meta({ examples: ['/api/auth/oauth/github'] }),
});

/** An identity that its owner can sign in with. */
const oauthAccount: z.ZodType<Wire<OwnOAuthAccount>> = z.strictObject({
  provider: z.string().meta({ examples: ['github'] }),
  providerId: z.string(),
  email: z.string().nullable(),
});

/** The prefix of the paths that exist once for each provider. */
export const providerPath = '/oauth/:provider';

/** One cookie for each flow, named after its state. */
const flowCookies = ['app.oauth.<state>'];

/** Describes the routes of sign-in with providers. */
export function oauthRoutes({ providers = [] }: AuthFeatures): readonly AuthRoute[] {
  const list: AuthRoute = {
    name: 'listProviders',
    method: 'get',
    path: '/providers',
    summary: 'List the providers to sign in with',
    proof: 'none',
    caller: 'anyone',
    response: shown('The providers, in the configured order.', z.strictObject({ providers: z.array(publicProvider) })),
  };
  const [first, ...rest] = providers.map(({ id }) => id);
  return first === undefined ? [list] : [list, ...flowRoutes(z.enum([first, ...rest])), ...accountRoutes];
}

function flowRoutes(provider: z.ZodType): readonly AuthRoute[] {
  const redirectTo = z.string().meta({
    description: 'Where to go afterwards: a path of the app. Anything else is ignored.',
    examples: ['/projects'],
  });
  return [
    {
      name: 'startOAuth',
      method: 'get',
      path: providerPath,
      summary: 'Sign in with a provider',
      proof: 'none',
      caller: 'anyone',
      parameters: { provider },
      query: { redirectTo },
      response: { status: 302, description: 'Redirects to the provider.', cookies: flowCookies },
      errors: ['RATE_LIMITED'],
    },
    {
      name: 'startOAuthLink',
      method: 'post',
      path: `${providerPath}/link`,
      summary: 'Start linking an identity at a provider to your account',
      proof: 'page',
      caller: 'user',
      parameters: { provider },
      input: { schema: linkInput, isOptional: true },
      response: {
        ...shown('The URL to send the browser to.', z.strictObject({ url: z.string() })),
        cookies: flowCookies,
      },
    },
    {
      name: 'completeOAuth',
      method: 'get',
      path: `${providerPath}/callback`,
      summary: 'Callback of a provider',
      description:
        'Ends on a page of the app: signed in, asked for the second factor, or with `?error=` and one of ' +
        '`invalid_state`, `provider_denied`, `provider_error`, `email_required`, `account_already_linked`, ' +
        '`user_setup_failed`.',
      proof: 'none',
      caller: 'anyone',
      parameters: { provider },
      query: { code: z.string(), state: z.string(), error: z.string(), iss: z.string() },
      response: {
        status: 302,
        description: 'Redirects to a page of the app.',
        cookies: ['app.sid', 'app.ref', 'app.mfa', ...flowCookies],
      },
    },
  ];
}

const accountRoutes: readonly AuthRoute[] = [
  {
    name: 'listOAuthAccounts',
    method: 'get',
    path: '/oauth-accounts',
    summary: 'List the identities that are linked to your account',
    proof: 'none',
    caller: 'user',
    response: shown('The identities.', z.strictObject({ accounts: z.array(oauthAccount) })),
  },
  {
    name: 'unlinkOAuthAccount',
    method: 'delete',
    path: '/oauth-accounts/:provider',
    summary: 'Unlink your identities at a provider, even one that is no longer configured',
    proof: 'page-or-bearer',
    caller: 'user',
    parameters: { provider: z.string() },
    response: done('They are unlinked.'),
    errors: ['NOT_FOUND', 'LAST_SIGN_IN_METHOD'],
  },
];
