import { createTransport } from 'nodemailer';
import type { Mailbox } from '../variables/mailbox.ts';
import type { SmtpServer } from '../variables/smtp-url.ts';
import type { Message } from './compose-message.ts';

/** The way to a mail server, over connections that are kept for the next mail. */
export interface Smtp {
  /** Resolves when the server took the message for one plain address. Rejects within the limits otherwise. */
  deliver(to: string, message: Message): Promise<void>;
  /** Closes the connections; what is under way fails. */
  close(): void;
}

/** How long a mail server may take. */
export interface SmtpLimits {
  /** For its name to be found, to answer, to greet, and between any two signs of life. Default 10 000. */
  readonly silenceMs: number;
  /** For a whole mail, the wait for a connection included. Default 20 000. */
  readonly mailMs: number;
}

/** How mails are sent. */
export interface SmtpOptions {
  readonly server: SmtpServer;
  readonly from: Mailbox;
  readonly limits?: SmtpLimits;
}

/**
 * Creates the way to a mail server; nothing is asked of it before the first mail. Over `smtp:` it goes on in TLS where the
 * server can, and sends a password in no other way.
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
      // RFC 3834 section 5: no answering machine need reply.
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

/** Keeps the codes and nothing else: what a server answers may cite the mail, the link in it above all. */
function toDeliveryError(error: unknown): Error {
  const { code, responseCode } = error as { readonly code?: unknown; readonly responseCode?: unknown };
  const codes = [code, responseCode].filter((part) => typeof part === 'number' || isErrorCode(part));
  return new Error(`The mail server did not take a mail: ${codes.join(' ') || 'no code was given'}.`);
}

function isErrorCode(part: unknown): boolean {
  return typeof part === 'string' && /^[A-Z0-9_]+$/.test(part);
}
