/** The options of a pooler. */
export interface PoolerOptions {
  /** The URL of a database of the Postgres behind it, with the user that it signs in as. */
  readonly server: string;
  /** How many connections it has to each database. */
  readonly poolSize: number;
  /** Whether it takes them in turn, as few would in production, rather than the latest first. Default: true. */
  readonly isInTurn?: boolean;
}

/** A running pooler on 127.0.0.1; disposing of it ends it. */
export interface Pooler extends AsyncDisposable {
  readonly port: number;
}

/** Returns the URL of a database through a pooler. */
export function throughPooler({ port }: Pooler, databaseUrl: string): string {
  return Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(port) }).href;
}
