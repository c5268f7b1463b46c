import { identifyByOpenId } from './oidc.ts';
import { type OAuthProvider, type ProviderSettings, type TrustSettings } from './provider.ts';

/**
 * GitLab. Its e-mail addresses are not trusted, unless the app says so.
 *
 * @see https://docs.gitlab.com/integration/openid_connect_provider/
 */
export function gitlabProvider(options: ProviderSettings & TrustSettings): OAuthProvider {
  const { trustEmail = false, ...settings } = options;
  return {
    id: 'gitlab',
    name: 'GitLab',
    settings,
    scopes: ['openid', 'email', 'profile'],
    endpoints: {
      authorizationUrl: 'https://gitlab.com/oauth/authorize',
      tokenUrl: 'https://gitlab.com/oauth/token',
      userInfoUrl: 'https://gitlab.com/oauth/userinfo',
      issuer: 'https://gitlab.com',
      jwksUrl: 'https://gitlab.com/oauth/discovery/keys',
    },
    isTrusted: trustEmail,
    usesPkce: true,
    idTokenAlgorithms: ['RS256'],
    identify: identifyByOpenId,
  };
}
