import { allowMail } from '@x/auth';
import { describe, expect, it } from 'vitest';
import { allEngines, createDatabase } from '../../support/databases.ts';
import { createMailbox } from '../../support/mailbox.ts';
import type { TestClient } from '../../support/test-client.ts';
import { createTestServer } from '../../support/test-server.ts';

const victim = 'victim@example.com';
const password = 'correct horse battery';
const change = '/api/auth/change-email';

describe.each(allEngines)('mails that others cause on %s', (engine) => {
  it('reach an address ten times an hour, from all clients together, and the answers do not tell', async () => {
    const database = await createDatabase(engine);
    const mailbox = createMailbox();
    const tests = [
      await createTestServer({ database, auth: mailbox.auth }),
      await createTestServer({ database, auth: mailbox.auth }),
    ] as const;
    const { server, client, clock } = tests[0];
    const mailsTo = async (to: string): Promise<number> => {
      for (const test of tests) await test.server.auth.drain();
      return mailbox.mails.filter((mail) => mail.to === to).length;
    };
    const strangers = await Promise.all(
      Array.from({ length: 6 }, async (_, index): Promise<TestClient> => {
        const browser = tests[index % 2]!.client();
        await browser.post('/api/auth/signup', { email: `stranger${index}@example.com`, password });
        return browser;
      }),
    );
    const attempts = Array.from({ length: 30 }, async (_, index) => {
      const spelling = index % 3 === 0 ? ' VICTIM@example.com' : victim;
      return (await strangers[index % 6]!.post(change, { email: spelling })).text;
    });
    expect(new Set(await Promise.all(attempts))).toEqual(new Set(['{"ok":true}']));
    expect(await mailsTo(victim)).toBe(10);
    // Apps count their own mails with these, and others do not count.
    expect(await allowMail(server.stores, 'Victim@Example.com')).toBe(false);
    expect(await allowMail(server.stores, 'other@example.com')).toBe(true);
    await client().post('/api/auth/signup', { email: victim, password });
    await client().post('/api/auth/forgot-password', { email: victim });
    expect(await mailsTo(victim)).toBe(12);
    clock.advance(3_600_000);
    expect(await allowMail(server.stores, victim)).toBe(true);
  });

  it('are not more if an attacker signs up with the address of another, and asks for it again and again', async () => {
    const mailbox = createMailbox();
    const { server, client } = await createTestServer({
      database: await createDatabase(engine),
      auth: mailbox.auth,
    });
    const squatter = client();
    await squatter.post('/api/auth/signup', { email: victim, password });
    for (let count = 0; count < 15; count += 1) {
      expect((await squatter.post(change, { email: victim })).text).toBe('{"ok":true}');
    }
    await server.auth.drain();
    expect(mailbox.mails.filter(({ to }) => to === victim)).toHaveLength(11);
  });
});

it('allows no mail to a text that is no address', async () => {
  const { server } = await createTestServer();
  for (const text of ['', 'ada', 'ada@localhost', 'ada＠example.com']) {
    expect(await allowMail(server.stores, text)).toBe(false);
  }
});
