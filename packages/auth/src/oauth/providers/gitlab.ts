import { identifyByOpenId } from './oidc.ts';
import { type OAuthProvider, type ProviderSettings } from './provider.ts';

/**
 * GitLab. Its e-mail addresses are not trusted.
 *
 * @see https://docs.gitlab.com/integration/openid_connect_provider/
 */
export function gitlabProvider(settings: ProviderSettings): OAuthProvider {
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
    isTrusted: false,
    usesPkce: true,
    idTokenAlgorithms: ['RS256'],
    identify: identifyByOpenId,
  };
}
