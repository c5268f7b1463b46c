import { type Awaitable, CodedError, type ErrorCode } from '@x/errors';
import { z } from 'zod';
import type { RequestContext } from './request-context.ts';

/**
 * One endpoint of auth: its description for HTTP and OpenAPI, and its implementation. Nothing in it is created per app,
 * so a description needs no keys and no stores.
 *
 * @typeParam Dependencies - those of {@link AuthRoute.run}; a route with the default can be described but not run
 */
export interface AuthRoute<Dependencies = never> {
  /** Stable and unique. */
  readonly name: string;
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** Whether a `get` has effects, so that HEAD is refused. Default false. */
  readonly hasEffects?: boolean;
  /** Below the `basePath`; parameters are written `:id`. A route exists for each value of a parameter with an enum. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /**
   * How the route is protected from cross-site request forgery. `none`: not at all, it changes nothing; `required`: the
   * `Origin` and `X-APP-Request` headers must show that a page of the app sent the request; `unless-exempt`: so they
   * must, unless it authenticates by a credential that browsers never send on their own, such as a bearer token, and
   * has none of our cookies.
   */
  readonly csrf: 'none' | 'required' | 'unless-exempt';
  /**
   * Who may call: any client (`anyone`); any client, with a session taken into account (`visitor`); a signed-in user;
   * one who presents the session's refresh token, too (`session-owner`); or a client with the cookie of a session
   * (`refresh-token`) or of a challenge.
   */
  readonly caller: 'anyone' | 'visitor' | 'user' | 'session-owner' | 'refresh-token' | 'challenge';
  /** Parameters of the path, by name. */
  readonly parameters?: Readonly<Record<string, z.ZodType>>;
  /** Parameters of the query, by name; none is required. */
  readonly query?: Readonly<Record<string, z.ZodType>>;
  /** The body; a route without one takes nothing, or `{}`. {@link AuthRoute.run} parses it. */
  readonly input?: {
    readonly schema: z.ZodType;
    readonly isOptional?: boolean;
    /** `form`: it is sent as a form does, and is a `URLSearchParams`. Default: JSON. */
    readonly encoding?: 'form';
  };
  readonly response: AuthResponse;
  /** The errors it may respond with, besides those that follow from the rest of the route. */
  readonly errors?: readonly ErrorCode[];
  /** Handles a request. Synchronous where nothing has to be waited for. Throws the errors. */
  readonly run: (deps: Dependencies, request: AuthRequest) => Awaitable<AuthOutcome>;
}

/**
 * The part after the prefix in the name of a cookie: of a JWT, a refresh token, a challenge, or the state of a flow.
 */
export type CookiePart = 'sid' | 'ref' | 'mfa' | `oauth.${string}`;

/** The successful response of a route. */
export interface AuthResponse {
  readonly status: 200 | 201 | 302 | 303;
  readonly description: string;
  /** The JSON body as serialized; a redirect has none. */
  readonly schema?: z.ZodType;
  /** The purpose of the page that it may respond with instead, with the status 200. */
  readonly page?: string;
  /** The cookies that it sets or clears. */
  readonly cookies?: readonly CookiePart[];
  /** Whether it sends an `ETag`, and 304 for a matching `If-None-Match`. */
  readonly isConditional?: boolean;
}

/**
 * A request to a route, after the checks that all routes share. The address of a plain read, without `csrf` and with
 * the status 200, is null: it is not looked up.
 */
export interface AuthRequest extends RequestContext {
  /** The values in the path, by name. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The values in the query, by name, each as often as it was sent; empty if the route declares no query. */
  readonly query: Readonly<Record<string, readonly string[]>>;
  /** The JSON or the form that was sent, not validated yet; undefined if there was none. */
  readonly input: unknown;
}

/** The response of a route. */
export type AuthOutcome = JsonOutcome | RedirectOutcome | PageOutcome | RefusedOutcome;

/** A JSON response. */
export interface JsonOutcome {
  /** The value, or its JSON if it is already serialized. */
  readonly body: object | string;
  /** Default 200. */
  readonly status?: 200 | 201;
  /** `Set-Cookie` values. */
  readonly cookies?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Changes whenever the body does: letters, digits, `-` and `_`. */
  readonly etag?: string;
}

/** A redirect of the browser. */
export interface RedirectOutcome {
  readonly location: string;
  /** Default 302. With 303, the browser goes on with a GET. */
  readonly status?: 302 | 303;
  /** `Set-Cookie` values. */
  readonly cookies: readonly string[];
}

/** A page without scripts or anything else to load. */
export interface PageOutcome {
  /** Its HTML. */
  readonly page: string;
}

/** An error whose response sets cookies; other errors are thrown. */
export interface RefusedOutcome {
  readonly error: unknown;
  /** `Set-Cookie` values. */
  readonly cookies: readonly string[];
}

/** The outcome of a step without a result. */
export const okOutcome: JsonOutcome = { body: JSON.stringify({ ok: true }) };

/** Takes a step without a result. */
export async function okAfter(step: Promise<void>): Promise<JsonOutcome> {
  await step;
  return okOutcome;
}

/** Describes the response of a step without a result. */
export function okResponse(description: string, cookies?: readonly CookiePart[]): AuthResponse {
  return { status: 200, description, schema: okSchema, ...(cookies && { cookies }) };
}

const okSchema = z.strictObject({ ok: z.literal(true) });

/** Describes a response with a body. */
export function jsonResponse(description: string, schema: z.ZodType): AuthResponse {
  return { status: 200, description, schema };
}

/** Turns the result of a step into its outcome: the cookies become headers, everything else the body. */
export function withCookies({ cookies, ...body }: { readonly cookies: readonly string[] }): JsonOutcome {
  return { body, cookies };
}

/** Takes a step whose cookies the client loses if it is refused with `SESSION_EXPIRED`. */
export async function cookiesOrCleared(
  step: Promise<{ readonly cookies: readonly string[] }>,
  cleared: () => readonly string[],
): Promise<AuthOutcome> {
  try {
    return withCookies(await step);
  } catch (error) {
    if (!isSessionExpired(error)) throw error;
    return { error, cookies: cleared() };
  }
}

/** Says whether an error means that a session, or a challenge, has ended. */
export function isSessionExpired(error: unknown): boolean {
  return error instanceof CodedError && error.code === 'SESSION_EXPIRED';
}

/** A value as JSON carries it: dates are ISO 8601 text. */
export type Serialized<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? Serialized<Item>[]
    : T extends object
      ? { [Name in keyof T]: Serialized<T[Name]> }
      : T;

/** A serialized date: ISO 8601 in UTC, with milliseconds. */
export const timestamp: z.ZodISODateTime = z.iso.datetime({ precision: 3 });
