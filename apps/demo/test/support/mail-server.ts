import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';

/** A mail as a server took it. */
interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** The user who signed in to send it. */
  readonly user: string | undefined;
  readonly encrypted: boolean;
  /** The header fields by name in lower case, long ones unfolded. */
  readonly headers: ReadonlyMap<string, string>;
  readonly source: string;
  /** All of it, without the encoding of lines. */
  readonly decoded: string;
}

/** A mail server that listens, until the test is over. */
export interface MailServer {
  readonly port: number;
  readonly url: string;
  readonly received: readonly ReceivedMail[];
  /** How many clients have connected so far. */
  connections(): number;
  /** Ends every connection; new ones are taken as ever. */
  disconnect(): void;
  stop(): Promise<void>;
}

/** Starts a real mail server, which takes mails from and for any address, unencrypted by default. */
export async function startMailServer({ port = 0, ...options }: MailServerOptions = {}): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  let connections = 0;
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    closeTimeout: 10,
    disableReverseLookup: true,
    onConnect: (_session, done) => {
      connections += 1;
      done();
    },
    onData: (stream, session, done) => {
      const { mailFrom, rcptTo } = session.envelope;
      const envelope = { from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address) };
      let source = '';
      stream.setEncoding('utf8').on('data', (text: string) => (source += text));
      stream.on('end', () => {
        received.push({ ...envelope, user: session.user, encrypted: session.secure, ...parseSource(source) });
        done();
      });
    },
    ...options,
  });
  // A client that ends its connection early is none of the server's business.
  smtp.on('error', () => {});
  const listening = smtp.listen(port, '127.0.0.1');
  await once(listening, 'listening');
  const taken = portOf(listening);
  const stop = (): Promise<void> => new Promise((resolve) => smtp.close(() => resolve()));
  onTestFinished(stop);
  return {
    port: taken,
    url: `${options.secure === true ? 'smtps' : 'smtp'}://localhost:${taken}`,
    received,
    connections: () => connections,
    disconnect: () => {
      for (const connection of smtp.connections) connection.close();
    },
    stop,
  };
}

type MailServerOptions = SMTPServerOptions & { readonly port?: number };

/** Starts what mail is to be sent to and is no mail server: it does with each connection what it is given. */
export async function startOddServer(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    onConnection(socket);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server, 'listening');
  return `smtp://localhost:${portOf(server)}`;
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('The server has no port.');
  return address.port;
}

function parseSource(source: string): Pick<ReceivedMail, 'source' | 'headers' | 'decoded'> {
  const [head = ''] = source.split('\r\n\r\n', 1);
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n');
  const fields = lines.map((line) => /^([^:]+): ?(.*)$/.exec(line) ?? []);
  const headers = new Map(fields.map(([, name = '', value = '']) => [name.toLowerCase(), value]));
  return { source, headers, decoded: decodeQuotedPrintable(source) };
}

/** The encoding of text that is ASCII but for a few characters. See RFC 2045 section 6.7. */
function decodeQuotedPrintable(text: string): string {
  return text
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
