import { createMemoryStores } from '@x/store-memory';
import { expect, it, onTestFinished, vi } from 'vitest';
import { parseEnv } from '../../src/env.ts';
import { createMailService, type MailService } from '../../src/mail/mail-service.ts';
import type { Mail } from '../../src/mail/message.ts';
import { startMailServer, startOddServer } from '../support/mail-server.ts';

const reset: Mail = { kind: 'reset', to: 'ada@example.com', token: 'Zm9vYmFy' };
const notice: Mail = { kind: 'notice', to: 'ada@example.com', change: 'password.changed' };
const url = 'https://tracker.example/reset?token=Zm9vYmFy';

it('keeps every mail in the outbox of development', async () => {
  const { mailer, outbox } = await open({});
  await mailer.send(reset);
  await mailer.send(notice);
  const sentAt = expect.any(Date);
  expect(await outbox?.list()).toEqual([
    { ...notice, sentAt },
    { ...reset, url, sentAt },
  ]);
});

it('sends them as well if development has a mail server', async () => {
  const server = await startMailServer();
  const { mailer, outbox } = await open({ SMTP_URL: server.url, MAIL_FROM: 'Mail <mail@tracker.test>' });
  await mailer.send(reset);
  await mailer.send(notice);
  expect(await outbox?.list()).toMatchObject([notice, { token: reset.token }]);
  expect(server.received.map(({ headers }) => headers.get('subject'))).toEqual([
    'Reset your password',
    'Your password was changed',
  ]);
  expect(server.received).toMatchObject([{ from: 'mail@tracker.test' }, { decoded: expect.not.stringContaining(url) }]);
  expect(server.received[0]?.decoded).toContain(url);
});

it('has no outbox in production, and writes nothing to the database', async () => {
  const server = await startMailServer();
  const append = vi.fn<() => never>();
  const { mailer, outbox } = await open({ ...production, SMTP_URL: server.url }, append);
  await mailer.send(reset);
  expect([outbox, server.received.length]).toEqual([null, 1]);
  expect(server.received[0]).toMatchObject({ from: 'no-reply@tracker.example', to: [reset.to] });
  expect(append).not.toHaveBeenCalled();
});

it.each([notice, reset])('refuses every mail if production has no mail server', async (mail) => {
  const { mailer } = await open(production);
  await expect(mailer.send(mail)).rejects.toThrow('SMTP_URL is not set');
});

it.each(['ada@example.com\r\nBcc: eve@example.com', 'ada@example.com, eve@example.com', 'Eve <eve@example.com>', ''])(
  'rejects a mail to %j, without throwing, and sends it nowhere',
  async (to) => {
    const server = await startMailServer();
    const { mailer, outbox } = await open({ SMTP_URL: server.url });
    const sending = mailer.send({ ...reset, to });
    await expect(sending).rejects.toThrow(TypeError);
    expect([await outbox?.list(), server.connections()]).toEqual([[], 0]);
  },
);

it('closes when the mails in flight are sent, and accepts no more', async () => {
  const answers: (() => void)[] = [];
  const server = await startMailServer({
    onData: (stream, _session, done) => void stream.on('end', () => answers.push(done)).resume(),
  });
  const service = await open({ SMTP_URL: server.url });
  const sent = [service.mailer.send(reset), service.mailer.send(notice)];
  await vi.waitFor(() => expect(answers).toHaveLength(2), { timeout: 30_000 });
  const closed = vi.fn<() => void>();
  const closing = service.close().then(closed);
  answers[0]?.();
  await Promise.race(sent);
  expect(closed).not.toHaveBeenCalled();
  answers[1]?.();
  await closing;
  await expect(Promise.all(sent)).resolves.toBeDefined();
  await expect(service.mailer.send(reset)).rejects.toThrow(/did not accept a mail/);
});

it('closes after ten seconds, even if the server never answers', async () => {
  let connected = false;
  const silent = await startOddServer(() => (connected = true));
  const service = await open({ SMTP_URL: silent });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const sending = service.mailer.send(reset);
  while (!connected) await new Promise(setImmediate);
  const closing = service.close();
  await vi.advanceTimersByTimeAsync(10_000);
  await closing;
  await expect(sending).rejects.toThrow(/did not accept a mail/);
});

const production = {
  NODE_ENV: 'production',
  BASE_URL: 'https://tracker.example',
  ENCRYPTION_KEY: 'x',
  JWT_PRIVATE_KEY: 'x',
  JWT_PUBLIC_KEY: 'x',
};

async function open(variables: Readonly<Record<string, string>>, append?: () => never): Promise<MailService> {
  const stores = createMemoryStores({ clock: { now: () => new Date() } });
  if (append) vi.spyOn(stores.events, 'append').mockImplementation(append);
  const baseUrl = (): string => 'https://tracker.example';
  const service = await createMailService({ env: parseEnv(variables), stores, baseUrl });
  onTestFinished(() => service.close());
  return service;
}
