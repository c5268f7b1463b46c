import { vi } from 'vitest';
import { Browser } from './browser.ts';

/** Waits for the newest mail of a kind to an address in the outbox of a demo, and returns its token. */
export async function mailedToken(url: string, kind: 'verification' | 'reset', to: string): Promise<string> {
  return vi.waitFor(
    async () => {
      const { body } = await new Browser(url).get(`/dev/outbox?to=${encodeURIComponent(to)}`);
      const mail = body.messages.find((message) => message.kind === kind);
      if (mail === undefined) throw new Error(`There is no mail of ${kind} to ${to}.`);
      return mail.token;
    },
    { timeout: 5000, interval: 20 },
  );
}
