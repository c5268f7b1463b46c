import type { ProviderSettings } from '@x/auth';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** One request to a stand-in. */
interface StandInRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Below the stand-in's own, such as `/token`. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** What stands in for one provider: all but its form. */
export interface StandIn {
  /** What people call the provider. */
  readonly name: string;
  /** What the app is told of it beside its addresses. */
  readonly settings: (url: string) => Omit<ProviderSettings, 'clientId' | 'clientSecret'>;
  /** Answers everything below the stand-in's path but the form itself; `/consent` is what the form is sent to. */
  answer(asked: StandInRequest): Promise<void>;
}

/** Answers with JSON. */
export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify(body));
}

/** Sends the browser on, with parameters beside those that the address has. */
export function redirect(response: ServerResponse, to: string, parameters: Readonly<Record<string, string>>): void {
  const url = new URL(to);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  response.writeHead(302, { Location: url.href }).end();
}
