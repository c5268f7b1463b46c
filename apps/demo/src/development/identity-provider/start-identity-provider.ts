import type { ProviderSettings } from '@x/auth';
import type { Clock } from '@x/store';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ProviderName } from '../../env.ts';
import { createGoogleStandIn } from './google-stand-in.ts';
import { createProfileStandIn, discord, github } from './profile-stand-in.ts';
import { redirect, sendJson, type StandIn } from './stand-in.ts';

/** A local program that stands in for the providers during development. */
interface IdentityProvider {
  /** The app's settings for each provider. */
  readonly settings: Readonly<Record<ProviderName, ProviderSettings>>;
  stop(): Promise<void>;
}

/**
 * Starts the stand-ins, on a free port of this machine. They accept every person that the form names, so they are never
 * for production; and they redirect browsers only to the app.
 *
 * @param options.appOrigin - the origin of the app, the only one that redirects may go to
 */
export async function startIdentityProvider(options: {
  readonly clock: Clock;
  readonly appOrigin: string;
}): Promise<IdentityProvider> {
  const standIns: Readonly<Record<ProviderName, StandIn>> = {
    google: createGoogleStandIn(options.clock),
    github: createProfileStandIn(github),
    discord: createProfileStandIn(discord),
  };
  const byName = new Map<string, StandIn>(Object.entries(standIns));
  const server = createServer((request, response) => {
    respond(byName, options.appOrigin, { request, response }).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const settingsOf = (name: ProviderName): ProviderSettings => ({
    clientId: 'development',
    clientSecret: 'development',
    ...standIns[name].settings(`http://127.0.0.1:${port}/${name}`),
  });
  return {
    settings: { google: settingsOf('google'), github: settingsOf('github'), discord: settingsOf('discord') },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function respond(
  standIns: ReadonlyMap<string, StandIn>,
  appOrigin: string,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): Promise<void> {
  const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const [, name = '', path = ''] = /^\/([a-z]+)(\/.*)$/.exec(pathname) ?? [];
  const standIn = standIns.get(name);
  if (!standIn) return sendJson(response, { error: 'not_found' }, 404);
  if (path !== '/authorize' && path !== '/consent') return standIn.respond({ request, response, path, query });
  const redirectUri = query.get('redirect_uri') ?? '';
  if (!URL.canParse(redirectUri) || new URL(redirectUri).origin !== appOrigin) {
    return sendJson(
      response,
      { error: 'invalid_request', error_description: 'The redirect_uri does not belong to the app.' },
      400,
    );
  }
  if (path === '/authorize') return sendPage(response, consentPage(standIn.name, query));
  if (query.has('deny')) {
    return redirect(response, redirectUri, { error: 'access_denied', state: query.get('state') ?? '' });
  }
  return standIn.respond({ request, response, path, query });
}

function sendPage(response: ServerResponse, page: string): void {
  response.writeHead(200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'Cache-Control': 'no-store',
  });
  response.end(page);
}

/** Renders the form on which a user names a person; everything that the app requested is passed along. */
function consentPage(provider: string, query: URLSearchParams): string {
  const hidden = [...query].map(
    ([name, value]) => `<input type="hidden" name="${escape(name)}" value="${escape(value)}">`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sign in with ${escape(provider)} (development)</title>
<style>
  :root { color-scheme: light dark; font-family: system-ui, sans-serif; }
  body { max-width: 24rem; margin: 4rem auto; padding: 0 1rem; }
  label, input { display: block; width: 100%; box-sizing: border-box; font-size: 1rem; }
  input { margin: 0.25rem 0 1rem; padding: 0.5rem; }
  button { padding: 0.5rem 1rem; font-size: 1rem; }
</style>
<main>
  <h1>Sign in with ${escape(provider)}</h1>
  <p>This page stands in for ${escape(provider)} during development. Be whoever you like.</p>
  <form action="consent">
    ${hidden.join('\n    ')}
    <label for="name">Name</label>
    <input id="name" name="name" value="Ada Lovelace" required autocomplete="off">
    <label for="email">E-mail</label>
    <input id="email" name="email" type="email" value="ada@example.com" required autocomplete="off">
    <button>Continue</button>
    <button name="deny" value="1" formnovalidate>Cancel</button>
  </form>
</main>
</html>
`;
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
