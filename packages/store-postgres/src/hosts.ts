import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigurationError } from '@x/errors';
import { withTimeLimit } from '@x/store/engine';
import type pg from 'pg';
import { withClient } from './client.ts';

/** How to connect to one server of a database, and how long that may take. Secret. */
export type Host = pg.ClientConfig;

/** How long to wait for more servers after one has answered that takes writes, in milliseconds. */
const settleMs = 100;

/** How long a search without a result counts for later calls, so that they do not flood a server in recovery. */
const notFoundMs = 100;

/**
 * The servers that a URL names, and the one that takes writes. That one is searched for when a connection is needed:
 * first, and again after each loss. A single server needs no search.
 */
export class DatabaseHosts {
  /** All servers that the URL names. */
  readonly all: readonly Host[];
  /** The server that takes writes, as far as is known. */
  #primary: Host | undefined;
  #searching: Promise<Host> | undefined;

  /**
   * @param where - the URL, or how to connect to the only server
   * @param connectMs - how long a connection may take
   * @throws ConfigurationError as {@link parseHosts} does
   */
  constructor(where: string | Host, connectMs: number) {
    const named = typeof where === 'string' ? parseHosts(where) : [where];
    this.all = named.map((host) => ({ ...host, connectionTimeoutMillis: connectMs }));
    if (!this.areSeveral) this.#primary = this.all[0];
  }

  /** Whether the URL names several servers. */
  get areSeveral(): boolean {
    return this.all.length > 1;
  }

  /**
   * Returns the server that takes writes.
   *
   * @throws AggregateError of the errors of node-postgres if no server does
   */
  locate(): Host | Promise<Host> {
    return this.#primary ?? (this.#searching ??= this.#search());
  }

  /** Records that a server has been lost, or takes no writes. */
  lose(host: Host): void {
    if (this.areSeveral && host === this.#primary) this.#primary = undefined;
  }

  async #search(): Promise<Host> {
    try {
      const primary = await findPrimary(this.all);
      [this.#primary, this.#searching] = [primary, undefined];
      return primary;
    } catch (error) {
      setTimeout(() => (this.#searching = undefined), notFoundMs).unref();
      throw error;
    }
  }
}

/**
 * Asks all servers at once whether they take writes. If two do, one is a primary that came back after its standby was
 * promoted, and the one with the newer timeline is right.
 */
async function findPrimary(hosts: readonly Host[]): Promise<Host> {
  const timelines = new Map<Host, number>();
  const first = Promise.withResolvers<void>();
  const probes = hosts.map(async (host) => {
    timelines.set(host, await readTimeline(host));
    first.resolve();
  });
  const all = Promise.allSettled(probes);
  await Promise.race([all, first.promise.then(() => sleep(settleMs, undefined, { ref: false }))]);
  const newest = Math.max(...timelines.values());
  const primary = hosts.find((host) => timelines.get(host) === newest);
  if (primary) return primary;
  const failures = (await all).flatMap((probe) => (probe.status === 'rejected' ? [probe.reason] : []));
  throw new AggregateError(failures);
}

/** A managed service may lack the functions that return the timeline. */
const selectTimeline = `SELECT ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int AS timeline`;

/**
 * Reads the timeline of a server, which rises with each promotion; 0 if the server does not reveal it.
 *
 * @throws Error if the server can't be reached in time, or takes no writes
 */
function readTimeline(host: Host): Promise<number> {
  return withTimeLimit(host.connectionTimeoutMillis ?? Infinity, () =>
    withClient(host, async (client) => {
      const { rows } = await client.query<ReadOnly>(selectReadOnly);
      assertWritable(rows[0]);
      const timelines = await client.query<{ readonly timeline: number }>(selectTimeline).catch(() => undefined);
      return timelines?.rows[0]?.timeline ?? 0;
    }),
  );
}

interface ReadOnly {
  readonly read_only: string;
}

/** Also true for a server in recovery. */
const selectReadOnly = `SELECT current_setting('transaction_read_only') AS read_only`;

/** @throws Error if a connection takes no writes, such as a connection to a standby */
export function assertWritable(settings: ReadOnly | undefined): void {
  if (settings?.read_only !== 'off') throw new Error('The database is read-only.');
}

// The parts of a URL that name servers.

const urlParts = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)([^?#]*)(?:\?([^#]*))?/i;

/**
 * Parses the servers of a URL, such as `postgres://a:5433,[::1],b/app`, or `postgres:///app?host=a,b&port=5433,5432`.
 *
 * @throws ConfigurationError if there are not as many ports as hosts, or connections should be read-only
 * @see https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS
 */
export function parseHosts(url: string): readonly Host[] {
  const [, start = '', authority = '', path = '', query = ''] = urlParts.exec(url) ?? [];
  const parameters = new URLSearchParams(query);
  assertPrimaryIsMeant(parameters.get('target_session_attrs'));
  const named = authority.split(',').map(splitPort);
  const hosts = parameters.get('host')?.split(',').map(toUrlHost) ?? named.map(({ host }) => host);
  if (hosts.length === 1) return [{ connectionString: url }];
  const ports = parameters.get('port')?.split(',') ?? named.map(({ port }) => port);
  if (ports.length > 1 && ports.length !== hosts.length) {
    throw new ConfigurationError([`url: names ${hosts.length} hosts and ${ports.length} ports; each host needs one.`]);
  }
  for (const name of ['host', 'port']) parameters.delete(name);
  const rest = `${path}${parameters.size > 0 ? '?' : ''}${parameters}`;
  return hosts.map((host, index) => {
    const port = ports[ports.length === 1 ? 0 : index] ?? '';
    return { connectionString: `${start}${host}${port === '' ? '' : ':'}${port}${rest}` };
  });
}

/**
 * @throws ConfigurationError if the URL asks for other servers than a primary, as the stores write on every connection
 */
function assertPrimaryIsMeant(attributes: string | null): void {
  if (attributes === null || attributes === 'read-write' || attributes === 'primary') return;
  throw new ConfigurationError(['url: target_session_attrs must be read-write or primary, because the stores write.']);
}

/** Splits an address such as `a:5433` or `[::1]`. */
function splitPort(address: string): { readonly host: string; readonly port: string } {
  const [, host = '', port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(address) ?? [];
  return { host, port };
}

/** Converts a host of a parameter: an IPv6 address without brackets, the folder of a socket, or a name. */
function toUrlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : encodeURIComponent(host);
}
