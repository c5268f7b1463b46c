import { createHash, randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { parsePerson, type Person, redirect, sendJson, type StandIn } from './stand-in.ts';

/** The sign-in that a code stands for. */
interface Grant {
  readonly person: Person;
  readonly redirectUri: string;
  readonly codeChallenge: string | null;
}

/** A provider without ID tokens: its profiles of a person, by path. */
export interface ProfileShape {
  readonly name: string;
  readonly profiles: Readonly<Record<string, (person: Person) => unknown>>;
}

/** GitHub, where people may keep their address private, so that the app has to request it. */
export const github: ProfileShape = {
  name: 'GitHub',
  profiles: {
    '/user': ({ id, name, email }) => ({ id: Number(id), login: email.split('@')[0], name, email: null }),
    '/user/emails': ({ email }) => [{ email, primary: true, verified: true, visibility: 'private' }],
  },
};

/** Discord, whose ids are numbers that JSON would round. */
export const discord: ProfileShape = {
  name: 'Discord',
  profiles: {
    '/user': ({ id, name, email }) => ({ id, username: email.split('@')[0], global_name: name, email, verified: true }),
  },
};

/** Creates the stand-in for a provider whose profiles the app requests with an access token. */
export function createProfileStandIn({ name, profiles }: ProfileShape): StandIn {
  const grants = new Map<string, Grant>();
  const people = new Map<string, Person>();

  const exchange = (form: URLSearchParams): object => {
    const code = form.get('code') ?? '';
    const grant = grants.get(code);
    grants.delete(code);
    // With status 200, as GitHub does.
    if (!grant || !isFor(grant, form))
      return { error: 'bad_verification_code', error_description: 'Expired or wrong.' };
    const accessToken = randomUUID();
    people.set(accessToken, grant.person);
    return { access_token: accessToken, token_type: 'bearer', scope: form.get('scope') ?? '' };
  };

  return {
    name,
    settings: (url) => ({
      authorizationUrl: `${url}/authorize`,
      tokenUrl: `${url}/token`,
      userInfoUrl: `${url}/user`,
      issuer: url,
    }),
    async respond({ request, response, path, query }) {
      if (path === '/consent') {
        const [person, redirectUri] = [parsePerson(query), query.get('redirect_uri') ?? ''];
        if (!person) return sendJson(response, { error: 'invalid_request' }, 400);
        const code = randomUUID();
        grants.set(code, { person, redirectUri, codeChallenge: query.get('code_challenge') });
        return redirect(response, redirectUri, { code, state: query.get('state') ?? '' });
      }
      if (path === '/token') return sendJson(response, exchange(new URLSearchParams(await text(request))));
      const person = people.get(request.headers.authorization?.replace(/^Bearer /, '') ?? '');
      const profile = Object.hasOwn(profiles, path) ? profiles[path] : undefined;
      if (!person || !profile) return sendJson(response, { message: 'Not Found' }, 404);
      return sendJson(response, profile(person));
    },
  };
}

/** RFC 6749 section 4.1.3 and RFC 7636 section 4.6. */
function isFor({ redirectUri, codeChallenge }: Grant, form: URLSearchParams): boolean {
  if (form.get('redirect_uri') !== redirectUri) return false;
  const verifier = form.get('code_verifier') ?? '';
  return codeChallenge === null || createHash('sha256').update(verifier).digest('base64url') === codeChallenge;
}
