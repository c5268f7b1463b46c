import type { Clock } from '@x/store';
import type { MutableRedirectUri, MutableToken, OAuth2Service, TokenRequestIncomingMessage } from 'oauth2-mock-server';
import type { IncomingMessage } from 'node:http';
import { parsePerson, type Person, type StandIn } from './stand-in.ts';

const tokenSeconds = 3600;

/** Creates the stand-in for Google: OpenID Connect with ID tokens that use the clock of the app. */
export function createGoogleStandIn(clock: Clock): StandIn {
  let service: Promise<OAuth2Service> | undefined;
  return {
    name: 'Google',
    settings: (url) => ({
      authorizationUrl: `${url}/authorize`,
      tokenUrl: `${url}/token`,
      userInfoUrl: `${url}/userinfo`,
      issuer: url,
      jwksUrl: `${url}/jwks`,
    }),
    async respond({ request, response }) {
      const { host = '' } = request.headers;
      service ??= createService(`http://${host}/google`, clock);
      const { requestHandler } = await service;
      requestHandler(request, response);
    },
  };
}

/** Loaded and given its key at the first sign-in, which most starts of the demo never see. */
async function createService(url: string, clock: Clock): Promise<OAuth2Service> {
  const { OAuth2Issuer, OAuth2Service } = await import('oauth2-mock-server');
  const issuer = new OAuth2Issuer();
  issuer.url = url;
  await issuer.keys.generate('RS256');
  const people = new Map<string, Person>();
  const service = new OAuth2Service(issuer, {
    authorize: '/google/consent',
    token: '/google/token',
    userinfo: '/google/userinfo',
    jwks: '/google/jwks',
  });
  service.on('beforeAuthorizeRedirect', (target: MutableRedirectUri, request: IncomingMessage) => {
    const person = parsePerson(new URL(request.url ?? '', url).searchParams);
    const code = target.url.searchParams.get('code');
    if (person && code !== null) people.set(code, person);
  });
  service.on('beforeTokenSigning', ({ payload }: MutableToken, { body }: TokenRequestIncomingMessage) => {
    const person = people.get(String(body.code));
    const now = Math.floor(clock.now().getTime() / 1000);
    Object.assign(payload, { iat: now, nbf: now, exp: now + tokenSeconds });
    if (person) {
      Object.assign(payload, { sub: person.id, email: person.email, email_verified: true, name: person.name });
    }
  });
  return service;
}
