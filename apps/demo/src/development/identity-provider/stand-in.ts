import type { ProviderSettings } from '@x/auth';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** One request to a stand-in. */
interface StandInRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Below the stand-in's own path, such as `/token`. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** The stand-in for one provider, without its form. */
export interface StandIn {
  /** The name shown to users. */
  readonly name: string;
  /** The app's settings for it, besides its addresses. */
  readonly settings: (url: string) => Omit<ProviderSettings, 'clientId' | 'clientSecret'>;
  /** Answers everything below the stand-in's path except the form itself; the form is sent to `/consent`. */
  answer(asked: StandInRequest): Promise<void>;
}

/** Responds with JSON. */
export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify(body));
}

/** Redirects the browser, adding parameters to those that the address already has. */
export function redirect(response: ServerResponse, to: string, parameters: Readonly<Record<string, string>>): void {
  const url = new URL(to);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  response.writeHead(302, { Location: url.href }).end();
}
