import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigurationError } from '@x/errors';
import { withTimeLimit } from '@x/store/engine';
import pg from 'pg';
import { closeClient } from './connection.ts';
import { ownTypes } from './types.ts';

/** One server of a database. */
export interface Host {
  /** How to connect to this server, and how long that may take. Secret. */
  readonly config: pg.ClientConfig;
}

/** How long servers that answer later than the first one that takes writes are waited for. */
const settleMs = 100;

/** How long a search that found nothing stands for those that follow, so that calls do not flood a server in recovery. */
const notFoundMs = 100;

/**
 * The servers that a URL names, and which of them takes writes, as far as is known. It is looked for when a connection
 * is needed: first, and again after each loss. With one server there is nothing to look for.
 */
export class DatabaseHosts {
  readonly #hosts: readonly Host[];
  /** The one that takes writes, or did when it was last seen. */
  #latest: Host;
  #isKnown: boolean;
  #searching: Promise<Host> | undefined;
  #notFound: { readonly error: unknown; readonly until: number } | undefined;

  /**
   * @param where - the URL, or how to connect to the only server
   * @param connectMs - how long a connection may take
   * @throws ConfigurationError as {@link parseHosts} does
   */
  constructor(where: string | pg.ClientConfig, connectMs: number) {
    const named = typeof where === 'string' ? parseHosts(where) : [{ config: where }];
    const hosts = named.map(({ config }) => ({ config: { ...config, connectionTimeoutMillis: connectMs } }));
    const [first = { config: {} }] = hosts;
    this.#hosts = hosts;
    this.#latest = first;
    this.#isKnown = hosts.length === 1;
  }

  /** All servers that the URL names. */
  get all(): readonly Host[] {
    return this.#hosts;
  }

  /** The server that takes writes, or did when it was last seen. */
  get latest(): Host {
    return this.#latest;
  }

  /** Whether the URL names several servers. */
  get areSeveral(): boolean {
    return this.#hosts.length > 1;
  }

  /**
   * Returns the server that takes writes.
   *
   * @throws Error of node-postgres or AggregateError of them if none does
   */
  locate(): Host | Promise<Host> {
    if (this.#isKnown) return this.#latest;
    if (this.#notFound && performance.now() < this.#notFound.until) throw this.#notFound.error;
    return (this.#searching ??= this.#search());
  }

  /** Records that a server has been lost, or takes no writes. */
  lose(host: Host): void {
    if (host === this.#latest) this.#isKnown = !this.areSeveral;
  }

  async #search(): Promise<Host> {
    try {
      this.#latest = await findPrimary(this.#hosts);
      this.#isKnown = true;
      return this.#latest;
    } catch (error) {
      this.#notFound = { error, until: performance.now() + notFoundMs };
      throw error;
    } finally {
      this.#searching = undefined;
    }
  }
}

/**
 * Asks all servers at once which of them takes writes. If two do, one is a primary that came back after its standby was
 * promoted: that of the newer timeline is right.
 */
async function findPrimary(hosts: readonly Host[]): Promise<Host> {
  const found: { readonly host: Host; readonly timeline: number }[] = [];
  const first = Promise.withResolvers<void>();
  const probes = hosts.map(async (host) => {
    found.push({ host, timeline: await readTimeline(host) });
    first.resolve();
  });
  const all = Promise.allSettled(probes);
  await Promise.race([all, first.promise.then(() => sleep(settleMs, undefined, { ref: false }))]);
  const newest = Math.max(...found.map(({ timeline }) => timeline));
  const primary = hosts.find((host) => found.some((other) => other.host === host && other.timeline === newest));
  if (primary) return primary;
  const failures = (await all).flatMap((probe) => (probe.status === 'rejected' ? [probe.reason] : []));
  throw new AggregateError(failures);
}

/** A managed service may lack the functions that tell the timeline. */
const selectTimeline = `SELECT ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int AS timeline`;

/**
 * Reads the timeline of a server, which rises with each promotion; 0 if it does not tell.
 *
 * @throws Error if it can't be reached in time, or takes no writes
 */
async function readTimeline({ config }: Host): Promise<number> {
  const client = new pg.Client({ ...config, types: ownTypes });
  client.on('error', () => undefined);
  try {
    return await withTimeLimit(config.connectionTimeoutMillis ?? Infinity, async () => {
      await client.connect();
      const { rows } = await client.query<ReadOnly>(selectReadOnly);
      assertWritable(rows[0]);
      const timelines = await client.query<{ readonly timeline: number }>(selectTimeline).catch(() => undefined);
      return timelines?.rows[0]?.timeline ?? 0;
    });
  } finally {
    void closeClient(client);
  }
}

interface ReadOnly {
  readonly read_only: string;
}

/** A server in recovery is read-only, too. */
const selectReadOnly = `SELECT current_setting('transaction_read_only') AS read_only`;

/** @throws Error if a connection takes no writes, such as one to a standby */
export function assertWritable(settings: ReadOnly | undefined): void {
  if (settings?.read_only !== 'off') throw new Error('The database is read-only.');
}

// How a URL names servers.

const urlParts = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?/i;

/**
 * Parses the servers of a URL, such as `postgres://a:5433,[::1],b/app`, or `postgres:///app?host=a,b&port=5433,5432`.
 *
 * @throws ConfigurationError if there are not as many ports as hosts, or connections should be read-only
 * @see https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS
 */
export function parseHosts(url: string): readonly Host[] {
  const [, scheme = '', credentials = '', authority = '', path = '', query = ''] = urlParts.exec(url) ?? [];
  const parameters = new URLSearchParams(query);
  assertPrimaryIsMeant(parameters.get('target_session_attrs'));
  const named = authority.split(',').map(splitPort);
  const hosts = parameters.get('host')?.split(',').map(toUrlHost) ?? named.map(({ host }) => host);
  if (hosts.length === 1) return [{ config: { connectionString: url } }];
  const ports = parameters.get('port')?.split(',') ?? named.map(({ port }) => port);
  if (ports.length > 1 && ports.length !== hosts.length) {
    throw new ConfigurationError([`url: names ${hosts.length} hosts and ${ports.length} ports; each host needs one.`]);
  }
  for (const name of ['host', 'port']) parameters.delete(name);
  const rest = `${path}${parameters.size > 0 ? '?' : ''}${parameters}`;
  return hosts.map((host, index) => {
    const port = ports[ports.length === 1 ? 0 : index] ?? '';
    const connectionString = `${scheme}${credentials}${host}${port === '' ? '' : ':'}${port}${rest}`;
    return { config: { connectionString } };
  });
}

/** The stores write on every connection, so all that can be asked for is what they need anyway. */
function assertPrimaryIsMeant(attributes: string | null): void {
  if (attributes === null || attributes === 'read-write' || attributes === 'primary') return;
  throw new ConfigurationError(['url: target_session_attrs must be read-write or primary, because the stores write.']);
}

/** Splits an address such as `a:5433` or `[::1]`. */
function splitPort(address: string): { readonly host: string; readonly port: string } {
  const [, host = '', port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(address) ?? [];
  return { host, port };
}

/** A parameter has the host as it is: an IPv6 address without brackets, or the folder of a socket. */
function toUrlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : encodeURIComponent(host);
}
