import { CodedError, ConfigurationError } from '@x/errors';
import { MigrationError } from '@x/store';
import type { Logger } from 'pino';
import { setTimeout as sleep } from 'node:timers/promises';
import { nameVariables } from './env.ts';

/** How long a start waits for its database if nothing else is said, in milliseconds. */
const startMs = 60_000;

const pauseMs = 500;

/**
 * Prepares the database of a start. Where many processes start at once, a statement may take longer than a request may
 * wait. So all steps, which can be repeated, are repeated for as long as a start may take.
 *
 * @param limitMs - a minute by default
 * @throws Error that says in the operator's words why the database can't be used
 */
export async function prepareDatabase(
  prepare: () => Promise<void>,
  { log, limitMs = startMs }: { readonly log: Logger; readonly limitMs?: number | undefined },
): Promise<void> {
  const endsAt = performance.now() + limitMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await prepare();
    } catch (error) {
      const isBusy = error instanceof CodedError && error.code === 'SERVICE_UNAVAILABLE';
      if (!isBusy || performance.now() >= endsAt) throw toOperatorsError(error);
      if (attempt === 1) log.warn(`DATABASE_URL: the start waits for the database: ${reasonOf(error.cause)}`);
    }
    await sleep(pauseMs);
  }
}

function toOperatorsError(error: unknown): unknown {
  if (error instanceof MigrationError) return error;
  if (error instanceof ConfigurationError) return nameVariables(error);
  const cause = error instanceof CodedError ? error.cause : error;
  return new Error(`DATABASE_URL: the database cannot be used: ${reasonOf(cause)}`, { cause: error });
}

/** A name that has several addresses fails with one error for each, and no words of its own. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join(', ');
  return cause instanceof Error ? cause.message : 'it does not answer.';
}
