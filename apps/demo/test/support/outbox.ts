import { vi } from 'vitest';
import { type Answer, Browser } from './browser.ts';

/** A mail as the outbox shows it. */
export type OutboxMail = Answer['body']['messages'][number];

/** Waits for the newest mail of a kind to an address in the outbox of a demo, and returns its token. */
export async function mailedToken(url: string, kind: OutboxMail['kind'], to: string): Promise<string> {
  const [mail] = await waitForMails(url, { kind, to, count: 1 });
  return mail?.token ?? '';
}

/** Which mails are waited for. */
interface AwaitedMails {
  readonly kind: OutboxMail['kind'];
  readonly to: string;
  /** How many there have to be. */
  readonly count: number;
}

/** Waits for mails of a kind to an address in the outbox of a demo, and returns them, the newest first. */
export function waitForMails(url: string, { kind, to, count }: AwaitedMails): Promise<readonly OutboxMail[]> {
  return vi.waitFor(
    async () => {
      const { body } = await new Browser(url).get(`/dev/outbox?to=${encodeURIComponent(to)}`);
      const mails = body.messages.filter((message) => message.kind === kind);
      if (mails.length < count) throw new Error(`There are ${mails.length} mails of ${kind} to ${to}.`);
      return mails;
    },
    { timeout: 30_000, interval: 20 },
  );
}
