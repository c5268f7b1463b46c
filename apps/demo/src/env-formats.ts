import type { Duration } from '@x/auth';
import { createClientAddress, type TrustProxy } from '@x/http';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { isPlainAddress } from './mail/address.ts';

// The formats of variables: a schema for each, with a message for the operator.

/** A switch: `true` or `false`, or a text that zod takes for one, such as `1` or `off`. */
export const isOn = z.stringbool('must be true or false');

/** The URL of a web server. */
export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });

/** The origin of a web server, in the form that browsers send. */
export const webOrigin = parsed(
  (text): string | null => (/^https?:\/\/[^/?#@\\\s]+\/?$/i.test(text) ? (URL.parse(text)?.origin ?? null) : null),
  'must be an http or https origin such as https://tracker.example, without a path, a query or a user',
);

/** A TCP port; 0 for any that is free. */
export const port = z
  .string()
  .regex(/^\d{1,5}$/, { error: 'must be a port: 0 to 65535', abort: true })
  .transform(Number)
  .refine((number) => number <= 65_535, 'must be a port: 0 to 65535');

/** A positive number. */
export const factor = z
  .string()
  .regex(/^\d{1,6}(\.\d{1,6})?$/, { error: 'must be a number above 0 and below 1000000', abort: true })
  .transform(Number)
  .refine((number) => number > 0, 'must be a number above 0 and below 1000000');

/** Which database is meant. */
export type DatabaseUrl =
  | { readonly kind: 'memory' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

/** `memory:`, `file:` and a path, or a Postgres URL. */
export const databaseUrl = parsed((url): DatabaseUrl | null => {
  if (url === 'memory:') return { kind: 'memory' };
  if (url.startsWith('file:') && url.length > 'file:'.length) return { kind: 'file', path: url.slice('file:'.length) };
  return isPostgresUrl(url) ? { kind: 'postgres', url } : null;
}, 'must be memory:, file:<path> or postgres://<user>:<password>@<host>/<database>');

/** A Postgres URL. */
export const postgresUrl = parsed(
  (url): string | null => (isPostgresUrl(url) ? url : null),
  'must be postgres://<user>:<password>@<host>/<database>',
);

/** Whether there is a pooler, or `auto`. */
export const pooled = z.union([z.literal('auto'), isOn], 'must be auto, true or false');

function isPostgresUrl(url: string): boolean {
  return /^postgres(ql)?:\/\//.test(url) && URL.canParse(withOneHost(url));
}

/** Removes further hosts of a Postgres URL, which no other URL has. */
function withOneHost(url: string): string {
  return url.replace(/,[^@/?#]*(?=[/?#]|$)/, '');
}

/** A PEM, or `file:` and the path of one. The library checks whether it is a key. */
export const pem = z.string().transform((value, context) => {
  if (!value.startsWith('file:')) return value;
  const path = value.slice('file:'.length);
  try {
    return readFileSync(path, 'utf8');
  } catch {
    context.addIssue({ code: 'custom', message: `names ${describeFile(path)} that cannot be read` });
    return z.NEVER;
  }
});

/**
 * Names a file only if it is called like one with a key: otherwise the key itself may stand in the place of its path.
 */
function describeFile(path: string): string {
  return /\.(pem|key|crt)$/.test(path) ? `a file, ${path},` : 'a file';
}

/** PEMs one after another, or `file:` and the path of them. */
export const pemList = pem
  .transform((text) => text.split(/(?=-----BEGIN )/).filter((block) => block.trim() !== ''))
  .refine((blocks) => blocks.length > 0, 'holds no PEM');

/** A duration as text, which cannot lack its unit. */
export type DurationText = Extract<Duration, string>;

/** The spelling of a duration; the setting limits how long it may be. */
export const duration = z.custom<DurationText>(
  (value) => typeof value === 'string' && /^\d+(ms|s|m|h|d)$/.test(value),
  'must be a duration such as 60s, 15m, 24h or 7d',
);

/** How many attempts a window allows. */
export interface RateLimit {
  readonly maxAttempts: number;
  readonly window: DurationText;
}

/** Attempts and their window, such as `5/15m`. */
export const rateLimit = parsed(parseRateLimit, 'must be 1 to 1000000 attempts and their window, such as 5/15m');

/** A rate limit, and the subject whose attempts it counts. */
export interface RefreshRateLimit {
  readonly max: number;
  readonly window: DurationText;
  readonly per: 'network' | 'session';
}

/** Attempts, their window, and their subject, such as `10/1m/session`. */
export const refreshRateLimit = parsed((text): RefreshRateLimit | null => {
  const [, rest = '', per] = /^(.+)\/(network|session)$/.exec(text) ?? [];
  const limit = parseRateLimit(rest);
  return limit && { max: limit.maxAttempts, window: limit.window, per: per as RefreshRateLimit['per'] };
}, 'must be 1 to 1000000 attempts, their window, and network or session, such as 10/1m/session');

function parseRateLimit(text: string): RateLimit | null {
  const [, max, rest] = /^(\d{1,7})\/(.+)$/.exec(text) ?? [];
  const window = duration.safeParse(rest);
  const maxAttempts = Number(max);
  return window.success && maxAttempts >= 1 && maxAttempts <= 1_000_000 ? { maxAttempts, window: window.data } : null;
}

/** A number of proxies, or a comma list of their addresses and CIDR ranges. */
export const trustProxy = parsed((text): TrustProxy | null => {
  const value = /^\d+$/.test(text) ? Number(text) : text.split(',').map((range) => range.trim());
  try {
    createClientAddress(value);
    return value;
  } catch {
    return null;
  }
}, 'must be a number of proxies from 0 to 32, or a comma list of addresses and CIDR ranges');

/** An e-mail address, and whose it is. */
export interface Mailbox {
  /** Empty if there is none. */
  readonly name: string;
  readonly address: string;
}

/** `Name <address>`, or an address alone. */
export const mailbox = parsed((text): Mailbox | null => {
  const [, name = '', inBrackets] = /^([^<>\p{Cc}]*)<([^<>]*)>$/u.exec(text) ?? [];
  const address = inBrackets ?? text;
  return isPlainAddress(address) ? { name: name.trim(), address } : null;
}, 'must be an address, or a name and an address: Name <user@host>');

/** A mail server that accepts mails for all addresses. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** Whether it speaks TLS from the first byte. */
  readonly secure: boolean;
  readonly credentials?: { readonly user: string; readonly password: string };
}

/** The URL of a mail server, with or without credentials. */
export const smtpUrl = parsed(
  parseSmtpUrl,
  'must be smtp://<user>:<password>@<host>:<port> or the same with smtps; user and password may be left out',
);

/** Parses `smtp://` (port 587) or `smtps://` (port 465) with a host, and a user and a password or neither. */
function parseSmtpUrl(text: string): SmtpServer | null {
  const url = URL.parse(text);
  if (!url || !/^smtps?:\/\//.test(text)) return null;
  const { hostname, pathname, search, hash } = url;
  const [user, password] = [decode(url.username), decode(url.password)];
  if (hostname === '' || url.port === '0' || !['', '/'].includes(pathname) || search + hash !== '') return null;
  if (user === null || password === null || (user === '') !== (password === '')) return null;
  const secure = url.protocol === 'smtps:';
  return {
    host: hostname.replaceAll(/[[\]]/g, ''),
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    ...(user !== '' && { credentials: { user, password } }),
  };
}

/** Returns null if a percent sign encodes nothing. */
function decode(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/** Accepts a text that `parse` understands; `parse` returns null for any other. */
function parsed<T>(parse: (text: string) => T | null, message: string): z.ZodType<T, string> {
  return z.string().transform((text, context) => {
    const value = parse(text);
    if (value !== null) return value;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}
