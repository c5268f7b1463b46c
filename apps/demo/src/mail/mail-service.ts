import type { Stores } from '@x/store';
import type { Env } from '../env.ts';
import { isPlainAddress } from './address.ts';
import { composeMessage, type Mail, type Mailer } from './message.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import type { Smtp } from './smtp.ts';

/** The functions by which the demo sends mails. */
export interface MailService {
  readonly mailer: Mailer;
  /** The outbox of development; null in production. */
  readonly outbox: Outbox | null;
  /** Waits for mails in progress, at most 10 seconds, and disconnects from the mail server. */
  close(): Promise<void>;
}

/** The options of the mail service. */
interface MailServiceOptions {
  readonly env: Pick<Env, 'production' | 'smtpServer' | 'mailFrom'>;
  readonly stores: Pick<Stores, 'events' | 'counters'>;
  /** Returns the origin of links; called for each mail. */
  readonly baseUrl: () => string;
}

/**
 * Creates the mail service: with the outbox in development, and with SMTP if a server is configured. With neither,
 * every mail is refused.
 */
export async function createMailService({ env, stores, baseUrl }: MailServiceOptions): Promise<MailService> {
  const outbox = env.production ? null : createOutbox(stores);
  const smtp = await openSmtp(env);
  const inFlight = new Set<Promise<void>>();

  const deliver = async (mail: Mail): Promise<void> => {
    if (!isPlainAddress(mail.to)) throw new TypeError('A mail goes to one plain address.');
    await outbox?.keep(mail, baseUrl());
    if (env.production && !smtp) throw new Error('There is no mail server: SMTP_URL is not set.');
    await smtp?.deliver(mail.to, composeMessage(mail, baseUrl()));
  };
  return {
    mailer: {
      send(mail) {
        const sending = deliver(mail);
        inFlight.add(sending);
        const forget = (): void => void inFlight.delete(sending);
        sending.then(forget, forget);
        return sending;
      },
    },
    outbox,
    async close() {
      await waitAtMost(10_000, Promise.allSettled(inFlight));
      smtp?.close();
    },
  };
}

/** Loads the SMTP client, if there is a mail server. */
async function openSmtp({ smtpServer: server, mailFrom: from }: MailServiceOptions['env']): Promise<Smtp | null> {
  return server ? (await import('./smtp.ts')).createSmtp({ server, from }) : null;
}

async function waitAtMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, milliseconds);
  await Promise.race([work, over.promise]);
  clearTimeout(timer);
}
