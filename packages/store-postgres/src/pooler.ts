import { hash } from 'node:crypto';
import { TextCache } from '@x/store-sql';
import pg from 'pg';
import { ownTypes } from './types.ts';

/**
 * What is known of a pooler in transaction mode between this process and the server: whether one is there, in front of
 * which nothing may be left behind on a connection, and whether statements may have names.
 *
 * As long as nothing tells of one, connections start with settings, and statements have names. A pooler shows when it
 * refuses those settings or does not pass them on, or when a name is unknown, or taken, on another of its connections to
 * the server. Nothing that is refused like that has run: it is sent again.
 */
export class Pooler {
  #isPresent: boolean;
  #refusesSettings: boolean;
  readonly #isCertain: boolean;
  #keepsNames: boolean;
  #isAsNeeded = false;
  #hasLostNames = false;

  /** @param pooled - whether one is there; `auto` if that has to be found out */
  constructor(pooled: boolean | 'auto') {
    this.#isCertain = pooled !== 'auto';
    this.#isPresent = pooled === true;
    this.#refusesSettings = pooled === true;
    this.#keepsNames = pooled !== true;
  }

  /** Whether a pooler is there, as far as is known. */
  get isPresent(): boolean {
    return this.#isPresent;
  }

  /** Whether connections can't start with settings. */
  get refusesSettings(): boolean {
    return this.#refusesSettings;
  }

  /** Whether statements may have names: there is none, or it knows which of its connections has which of them. */
  get keepsNames(): boolean {
    return this.#keepsNames && !this.#hasLostNames;
  }

  /** Whether statements mean on its connections what they should, without any setting. */
  get isAsNeeded(): boolean {
    return this.#isAsNeeded;
  }

  /** Records that a pooler is there. */
  found({ keepsNames, isAsNeeded }: Pick<Pooler, 'keepsNames' | 'isAsNeeded'>): void {
    this.#isPresent = true;
    this.#keepsNames = keepsNames;
    this.#isAsNeeded = isAsNeeded;
  }

  /** Says whether a connection was refused because of the settings with which it was to start; then none has them. */
  detectFromStart(error: unknown): boolean {
    if (this.#isCertain || stateOf(error) !== protocolViolation) return false;
    this.#refusesSettings = true;
    this.found({ keepsNames: false, isAsNeeded: false });
    return true;
  }

  /** Says whether a statement with a name did not run because of that; then none has one any more. */
  detectFromName(error: unknown): boolean {
    if (!lostName.test(stateOf(error))) return false;
    this.#hasLostNames = true;
    this.#isPresent ||= !this.#isCertain;
    return true;
  }
}

/** A setting was refused with which a connection was to start. */
const protocolViolation = '08P01';

/** A statement has a name that it was not given on this connection to the server, or lacks the one that it was given. */
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
 * Asks a pooler whether it keeps names, as PgBouncer does from 1.21 on, which makes it twice as fast: then it gives
 * statements names of its own. It leaves nothing behind.
 */
export async function keepsNames(client: pg.ClientBase): Promise<boolean> {
  await client.query('BEGIN');
  const { rows } = await client.query<{ readonly is_as_given: boolean }>(probe);
  const isAsGiven = rows[0]?.is_as_given !== false;
  await client.query(isAsGiven ? 'DEALLOCATE probe; COMMIT' : 'COMMIT');
  return !isAsGiven;
}

/**
 * How long the texts with a name may be together. Each connection of the server keeps them parsed and planned, which
 * takes tens of times as much.
 */
const maxLength = 2 ** 19;

/**
 * Names the texts of statements, so that each connection parses and plans them only once. A name says what its text is:
 * where processes share the connections of a pooler, none runs the statement of another.
 */
export class StatementNames {
  readonly #names = new TextCache<string>({ maxLength, onDrop: () => (this.#isFull = true) });
  #isFull = false;

  /** Whether it is time for new connections, since none can forget a name. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Returns the name of a text. */
  of(text: string): string {
    return this.#names.get(text, () => `s_${hash('sha256', text, 'hex').slice(0, 32)}`);
  }
}
