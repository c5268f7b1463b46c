import { createTransport } from 'nodemailer';
import type { Mailbox, SmtpServer } from '../env-formats.ts';
import type { Message } from './message.ts';

/** A connection pool to a mail server. */
export interface Smtp {
  /** Resolves when the server has accepted the message for one plain address. Otherwise rejects within the limits. */
  deliver(to: string, message: Message): Promise<void>;
  /** Closes the connections; mails in progress fail. */
  close(): void;
}

/** How long a mail server may take. */
export interface SmtpLimits {
  /** For resolving its name, connecting, the greeting, and between any two responses. Default 10 000. */
  readonly silenceMs: number;
  /** For a whole mail, including the wait for a connection. Default 20 000. */
  readonly mailMs: number;
}

/** The options for sending mails. */
export interface SmtpOptions {
  readonly server: SmtpServer;
  readonly from: Mailbox;
  readonly limits?: SmtpLimits;
}

/**
 * Creates the connection to a mail server, which is first contacted for the first mail. With `smtp:` it upgrades to TLS
 * if the server can, and sends a password only over TLS.
 */
export function createSmtp({ server, from, limits = { silenceMs: 10_000, mailMs: 20_000 } }: SmtpOptions): Smtp {
  const { host, port, secure, credentials } = server;
  const transport = createTransport({
    pool: true,
    ...{ host, port, secure },
    ...(credentials && { auth: { user: credentials.user, pass: credentials.password }, requireTLS: true }),
    connectionTimeout: limits.silenceMs,
    dnsTimeout: limits.silenceMs,
    greetingTimeout: limits.silenceMs,
    socketTimeout: limits.silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async deliver(to, message) {
      const signal = AbortSignal.timeout(limits.mailMs);
      // RFC 3834 section 5: asks automatic responders not to reply.
      const headers = { 'Auto-Submitted': 'auto-generated' };
      try {
        await transport.sendMail({ from, to: { name: '', address: to }, ...message, headers, signal });
      } catch (error) {
        throw toDeliveryError(error);
      }
    },
    close: () => transport.close({ force: true }),
  };
}

/** Keeps only the codes: the server's response may quote the mail, above all its link. */
function toDeliveryError(error: unknown): Error {
  const { code, responseCode } = error as { readonly code?: unknown; readonly responseCode?: unknown };
  const codes = [code, responseCode].filter((part) => typeof part === 'number' || isErrorCode(part));
  return new Error(`The mail server did not accept a mail: ${codes.join(' ') || 'no code was given'}.`);
}

function isErrorCode(part: unknown): boolean {
  return typeof part === 'string' && /^[A-Z0-9_]+$/.test(part);
}
