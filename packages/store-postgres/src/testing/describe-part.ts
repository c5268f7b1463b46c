import { describeStores, type SuitePart } from '@x/store-testing';
import { afterAll } from 'vitest';
import { createPostgresEngine, dropDatabases } from './postgres-engine.ts';

/**
 * Describes a part of the contract for Postgres, as often as `rounds` says. Each part has a file of its own, so that
 * two cores share them; with the races, the parts are the whole of it.
 */
export function describePart(part: SuitePart, rounds: number): void {
  describeStores(`postgres, ${part}:`, createPostgresEngine(), { rounds, part, tests: 'steps' });
  afterAll(dropDatabases);
}
