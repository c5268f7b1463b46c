import type { SMTPServerOptions } from 'smtp-server';
import type { Socket } from 'node:net';
import tls from 'node:tls';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { parseEnv } from '../../src/env.ts';
import { composeMessage } from '../../src/mail/message.ts';
import { createSmtp, type Smtp, type SmtpLimits } from '../../src/mail/smtp.ts';
import { localhostCertificate } from '../support/localhost-certificate.ts';
import { startMailServer, startOddServer } from '../support/mail-server.ts';

const to = 'ada@example.com';
const token = 'Zm9vYmFy-0123456789_abcdefghijklmnopqrstuvwx';
const message = composeMessage({ kind: 'reset', to, token }, 'https://tracker.example');
const link = `https://tracker.example/reset?token=${token}`;

const authorities = tls.getCACertificates('default');
beforeAll(() => tls.setDefaultCACertificates([...authorities, localhostCertificate.cert]));
afterAll(() => tls.setDefaultCACertificates(authorities));

it('delivers a mail with its envelope, its headers and its link', async () => {
  const server = await startMailServer();
  await open(server.url).deliver(to, message);
  expect(server.received).toHaveLength(1);
  const [mail] = server.received;
  expect(mail).toMatchObject({ from: 'no-reply@tracker.example', to: [to], user: undefined, encrypted: false });
  expect(Object.fromEntries(mail?.headers ?? [])).toMatchObject({
    from: '"Tracker, of Example" <no-reply@tracker.example>',
    to,
    subject: message.subject,
    date: expect.stringMatching(/^\w{3}, \d+ \w{3} \d{4} /),
    'message-id': expect.stringMatching(/^<[^<>\s]+@tracker\.example>$/),
    'auto-submitted': 'auto-generated',
    'mime-version': '1.0',
    'content-type': expect.stringMatching(/^multipart\/alternative; /),
  });
  expect(mail?.decoded.split(link)).toHaveLength(3);
  expect(mail?.source).toMatch(/^Content-Type: text\/plain; charset=utf-8/m);
  expect(mail?.source).toMatch(/^Content-Type: text\/html; charset=utf-8/m);
});

it('keeps connections for the next mails, and replaces those that the server ended', async () => {
  const server = await startMailServer();
  const smtp = open(server.url);
  for (let sent = 0; sent < 3; sent += 1) await smtp.deliver(to, message);
  expect([server.received.length, server.connections()]).toEqual([3, 1]);
  server.disconnect();
  await smtp.deliver(to, message);
  expect([server.received.length, server.connections()]).toEqual([4, 2]);
});

it('sends many mails at once over five connections at most, each of them once', async () => {
  const server = await startMailServer();
  const smtp = open(server.url);
  const addresses = Array.from({ length: 40 }, (_, index) => `user-${index}@example.com`);
  await Promise.all(addresses.map((address) => smtp.deliver(address, message)));
  expect(server.received.flatMap((mail) => mail.to).toSorted()).toEqual(addresses.toSorted());
  expect(server.connections()).toBeLessThanOrEqual(5);
});

it.each([
  ['from the first byte', true],
  ['once the server offers it', false],
])('signs in over TLS %s', async (_when, secure) => {
  const signIns: unknown[] = [];
  const server = await startMailServer({
    ...localhostCertificate,
    secure,
    disabledCommands: [],
    authOptional: false,
    onAuth: ({ username, password }, session, done) => {
      signIns.push([username, password, session.secure]);
      done(null, { user: username });
    },
  });
  await open(server.url.replace('://', '://tracker:p%40ss%2Fword@')).deliver(to, message);
  expect(signIns).toEqual([['tracker', 'p@ss/word', true]]);
  expect(server.received).toMatchObject([{ to: [to], user: 'tracker', encrypted: true }]);
});

it('sends no password to a server that does not speak TLS, and no mail either', async () => {
  const onAuth = vi.fn<NonNullable<SMTPServerOptions['onAuth']>>();
  const server = await startMailServer({ disabledCommands: ['STARTTLS'], allowInsecureAuth: true, onAuth });
  const smtp = open(server.url.replace('://', '://tracker:hunter2@'));
  expect(await failureOf(smtp)).toMatch(/ETLS/);
  expect(onAuth).not.toHaveBeenCalled();
  expect(server.received).toEqual([]);
});

it('sends nothing to a server with an untrusted certificate', async () => {
  tls.setDefaultCACertificates(authorities);
  onTestFinished(() => tls.setDefaultCACertificates([...authorities, localhostCertificate.cert]));
  const server = await startMailServer({ ...localhostCertificate, disabledCommands: ['AUTH'] });
  expect(await failureOf(open(server.url))).toMatch(/ETLS|ESOCKET/);
  expect(server.received).toEqual([]);
});

it('fails if the password is wrong, without revealing it', async () => {
  const server = await startMailServer({
    ...localhostCertificate,
    disabledCommands: [],
    onAuth: ({ password }, _session, done) => done(new Error(`${password} is not it`)),
  });
  const failure = await failureOf(open(server.url.replace('://', '://tracker:hunter2@')));
  expect(failure).toMatch(/EAUTH 535/);
  expect(failure).not.toContain('hunter2');
});

it('fails if the server refuses the mail, without repeating what the server cites of it', async () => {
  const refuse = (): Error => Object.assign(new Error(`blocked: ${link}`), { responseCode: 554 });
  const server = await startMailServer({
    onData: (stream, _session, done) => void stream.on('end', () => done(refuse())).resume(),
  });
  expect(await failureOf(open(server.url))).toMatch(/EMESSAGE 554/);
});

it('fails if the server refuses the address, and continues with the next mail', async () => {
  const server = await startMailServer({
    onRcptTo: ({ address }, _session, done) => done(address === to ? new Error('nobody here') : null),
  });
  const smtp = open(server.url);
  expect(await failureOf(smtp)).toMatch(/EENVELOPE 550/);
  await smtp.deliver('eve@example.com', message);
  expect(server.received).toMatchObject([{ to: ['eve@example.com'] }]);
});

it('fails while the server is down, and works once it is back', async () => {
  const gone = await startMailServer();
  await gone.stop();
  const smtp = open(gone.url);
  expect(await failureOf(smtp)).toMatch(/ESOCKET/);
  const { received } = await startMailServer({ port: gone.port });
  await smtp.deliver(to, message);
  expect(received).toHaveLength(1);
});

it.each<[server: string, code: string, start: () => Promise<string>]>([
  ['does not greet', 'ETIMEDOUT', () => startOddServer(() => {})],
  ['never ends its greeting', 'ETIMEDOUT', () => startOddServer((socket) => every(50, socket, '220-wait\r\n'))],
  ['never answers a mail', 'ETIMEDOUT', () => startMailServer({ onData: swallow }).then(({ url }) => url)],
  ['never ends an answer', 'EABORT', () => startOddServer(trickle)],
  ['hangs up', 'EABORT', () => startOddServer((socket) => socket.destroy())],
  ['is none', 'EPROTOCOL', () => startOddServer((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'))],
])('fails in time if the server %s', async (_server, code, start) => {
  const silence = { silenceMs: 200, mailMs: code === 'EABORT' ? 600 : 10_000 };
  const smtp = open(await start(), silence);
  expect(await failureOf(smtp)).toContain(code);
});

it('limits the wait for a connection, too', async () => {
  const server = await startMailServer({ onData: swallow });
  const smtp = open(server.url, { silenceMs: 10_000, mailMs: 300 });
  const failures = await Promise.all(Array.from({ length: 20 }, () => failureOf(smtp)));
  expect(new Set(failures)).toEqual(new Set([expect.stringMatching(/EABORT/)]));
});

it.each([
  'ada@example.com\r\nBcc: eve@example.com',
  'ada@example.com\r\nRCPT TO:<eve@example.com>',
  'ada@example.com>\r\nDATA\r\n.\r\n',
  'ada@example.com\nX-Added: yes',
  'ada@example.com, eve@example.com',
  'Eve <eve@example.com>',
  '"a\r\nX-Added: yes"@example.com',
])('turns the address %j into neither a header nor a second recipient', async (address) => {
  const server = await startMailServer();
  await open(server.url)
    .deliver(address, message)
    .catch(() => {});
  for (const mail of server.received) {
    expect(mail.to).toHaveLength(1);
    expect([...mail.headers.keys()].filter((name) => /bcc|x-added/.test(name))).toEqual([]);
  }
});

function open(url: string, limits?: SmtpLimits): Smtp {
  const from = { name: 'Tracker, of Example', address: 'no-reply@tracker.example' };
  const smtp = createSmtp({ server: parseEnv({ SMTP_URL: url }).smtpServer!, from, ...(limits && { limits }) });
  onTestFinished(() => smtp.close());
  return smtp;
}

/** Expects that a mail is refused by a rejection that contains nothing of the mail; returns its message. */
async function failureOf(smtp: Smtp): Promise<string> {
  const error: unknown = await smtp.deliver(to, message).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Error)) throw new TypeError('The mail was taken.');
  expect([Object.keys(error), error.cause, error.message.includes(token)]).toEqual([[], undefined, false]);
  return error.message;
}

/** Takes a mail and never says so. */
const swallow: NonNullable<SMTPServerOptions['onData']> = (stream) => void stream.resume();

/** Greets like a mail server, and is never silent and never done from then on. */
function trickle(socket: Socket): void {
  socket.write('220 hello\r\n');
  socket.once('data', () => every(50, socket, '250-wait\r\n'));
}

function every(milliseconds: number, socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), milliseconds);
  socket.on('close', () => clearInterval(timer));
}
