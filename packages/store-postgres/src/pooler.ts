import { hash } from 'node:crypto';
import pg from 'pg';
import { ownTypes } from './client.ts';

/**
 * Detects a pooler in transaction mode between this process and the server. Behind a pooler, no session may be changed,
 * and statements have names only if it keeps them.
 *
 * Until a pooler is detected, connections start with settings, and statements have names. A pooler is detected when it
 * refuses those settings or does not pass them on, or when a name is unknown, or taken, on another of its connections
 * to the server. A statement that is refused like that has not run, and is sent again.
 */
export class Pooler {
  /** Whether a pooler was configured or detected. Connections start without settings then. */
  isPresent: boolean;
  /** The names of statements; null on connections of the app, and once a pooler is found that does not keep them. */
  names: StatementNames | null;
  /** Whether its connections have the needed settings by default. */
  isAsNeeded = false;
  readonly #isCertain: boolean;

  /** @param pooled - whether there is a pooler; `auto` to detect it */
  constructor(pooled: boolean | 'auto', names: StatementNames | null) {
    this.#isCertain = pooled !== 'auto';
    this.isPresent = pooled === true;
    this.names = names;
  }

  /** Records that there is a pooler. */
  found(pooler: { readonly keepsNames: boolean; readonly isAsNeeded: boolean }): void {
    this.isPresent = true;
    if (!pooler.keepsNames) this.names = null;
    this.isAsNeeded = pooler.isAsNeeded;
  }

  /** Says whether a pooler refused a connection because of its settings. */
  detectFromStart(error: unknown): boolean {
    if (this.#isCertain || !refusesSettings(error)) return false;
    this.isPresent = true;
    return true;
  }

  /** Says whether a statement did not run because of its name. Then later statements have no names. */
  detectFromName(error: unknown): boolean {
    if (!lostName.test(stateOf(error))) return false;
    this.names = null;
    this.isPresent ||= !this.#isCertain;
    return true;
  }
}

/** Says whether a pooler refused a connection because of its settings. */
export function refusesSettings(error: unknown): boolean {
  return stateOf(error) === '08P01';
}

/** The name of a statement is unknown, or taken, on this connection to the server. */
const lostName = /^(26000|42P05)$/;

function stateOf(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : '';
}

const probe = {
  name: 'probe',
  text: "SELECT EXISTS (SELECT FROM pg_prepared_statements WHERE name = 'probe') AS is_as_given",
  types: ownTypes,
};

/**
 * Finds out whether a pooler keeps names, as PgBouncer does from 1.21 on, which makes it twice as fast. Such a pooler
 * gives statements names of its own. The session is left unchanged.
 */
export async function keepsNames(client: pg.ClientBase): Promise<boolean> {
  await client.query('BEGIN');
  const { rows } = await client.query<{ readonly is_as_given: boolean }>(probe);
  const isAsGiven = rows[0]?.is_as_given !== false;
  await client.query(isAsGiven ? 'DEALLOCATE probe; COMMIT' : 'COMMIT');
  return !isAsGiven;
}

/**
 * How long the named texts may be together. Each server connection keeps them parsed and planned, which takes tens of
 * times as much memory.
 */
const maxLength = 2 ** 19;

/**
 * Names the texts of statements, so that each connection parses and plans them only once. A name is a hash of its text,
 * so processes that share the connections of a pooler never run each other's statements.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  #length = 0;

  /** Whether connections should be replaced, because they can't drop names. */
  get isFull(): boolean {
    return this.#length > maxLength;
  }

  /** Returns the name of a text. */
  of(text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const name = `s_${hash('sha256', text, 'hex').slice(0, 32)}`;
    this.#names.set(text, name);
    this.#length += text.length;
    return name;
  }

  /** Forgets all names, for new connections. */
  clear(): void {
    this.#names.clear();
    this.#length = 0;
  }
}
