import { z } from 'zod';

/** A mail server that takes mails for everybody. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** Whether it speaks TLS from the first byte. */
  readonly secure: boolean;
  readonly credentials?: { readonly user: string; readonly password: string };
}

/** Parses `smtp://` (port 587) or `smtps://` (port 465) with a host, and a user and a password or neither. */
export const smtpUrl: z.ZodType<SmtpServer, string> = z.string().transform((text, context): SmtpServer => {
  const server = parseSmtpUrl(text);
  if (server) return server;
  context.addIssue({
    code: 'custom',
    message: 'must be smtp://<user>:<password>@<host>:<port> or the same with smtps; user and password may be left out',
  });
  return z.NEVER;
});

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

/** Returns null where a percent sign encodes nothing. */
function decode(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
