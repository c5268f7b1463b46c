import type { ProviderSettings } from '@x/auth';
import { createHash } from 'node:crypto';
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
  /** Responds to everything below the stand-in's path except the form itself; the form is sent to `/consent`. */
  respond(request: StandInRequest): Promise<void>;
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

/** A person who signs in, as the form names them. */
export interface Person {
  readonly name: string;
  readonly email: string;
  /** The providers' id for this address, always the same: digits, like theirs. */
  readonly id: string;
}

/** Parses a person from the form; null if it is incomplete. */
export function parsePerson(form: URLSearchParams): Person | null {
  const [name, email] = [form.get('name')?.trim(), form.get('email')?.trim().toLowerCase()];
  if (!name || !email) return null;
  // Six bytes, so that numbers stay exact in JSON.
  return { name, email, id: String(createHash('sha256').update(email).digest().readUIntBE(0, 6) + 1) };
}
