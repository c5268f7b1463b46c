import { type EntityRecord, storeUnavailable } from '@x/store';
import type { Authorization } from '../authorization/authorization.ts';
import { preconditionFailed } from '../authorization/errors.ts';
import { openAuthorization } from '../authorization/open-authorization.ts';
import { renewCall, type Call } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import { findRecord } from './find-record.ts';

/** The versions of a record that a caller accepts; null for any. */
export type IfMatch = readonly number[] | null;

const strongTag = /^[\t ]*"(0|[1-9]\d{0,14})"[\t ]*$/;
const anyTag = /^[\t ]*\*[\t ]*$/;

/**
 * Parses `If-Match` to the versions that it names; null for any. Tags are compared character by character, so a weak
 * one, and one that we never sent, match no record.
 *
 * @see RFC 9110 sections 8.8.3.2 and 13.1.1
 */
export function parseIfMatch(header: string | undefined): IfMatch {
  if (header === undefined || anyTag.test(header)) return null;
  return header.split(',').flatMap((tag) => {
    const version = strongTag.exec(tag)?.[1];
    return version === undefined ? [] : [Number(version)];
  });
}

/** Which record a caller changes, and which versions of it. */
export interface RecordRequest {
  readonly id: string;
  readonly ifMatch: IfMatch;
}

/** The context of one attempt to change a record. */
export interface Attempt {
  readonly call: Call;
  readonly authorization: Authorization;
}

/** A change of one record, in steps. */
interface Mutation<Outcome> extends RecordRequest {
  readonly entity: Entity;
  readonly operation: 'update' | 'delete';
  /** Says whether the statement alone can't decide it. */
  readonly needsLookup: (authorization: Authorization) => boolean;
  /** Whether `run` may be called again after it touched no row; false once hooks have seen the record. */
  readonly mayRunAgain: boolean;
  /**
   * Runs the statement, which includes every condition, and the version if one is given. Returns null if no row was
   * touched.
   *
   * @param found - the record, if it was looked up
   */
  readonly run: (attempt: Attempt, found: EntityRecord | null, version: number | undefined) => Promise<Outcome | null>;
}

/** How often a record may change between lookup and statement. */
const maxAttempts = 5;

/**
 * Changes a record by one statement that includes all conditions. If no row was touched, or the statement alone can't
 * decide, the record is looked up to find the reason. If there is none, the record or the caller's access was changed
 * concurrently, and the statement is tried again; except with hooks, which must run only once.
 *
 * @throws CodedError as `findRecord`, `PRECONDITION_FAILED`, and what `run` throws
 */
export async function mutate<Outcome>(call: Call, mutation: Mutation<Outcome>): Promise<Outcome> {
  const { entity, id, operation, ifMatch, needsLookup, mayRunAgain, run } = mutation;
  const open = (inside: Call): Attempt => ({
    call: inside,
    authorization: openAuthorization(inside, entity, operation),
  });
  let attempt = open(call);
  if (!needsLookup(attempt.authorization) && (ifMatch === null || ifMatch.length === 1)) {
    const outcome = await run(attempt, null, ifMatch?.[0]);
    if (outcome !== null) return outcome;
  }
  for (let count = 0; count < maxAttempts; count += 1) {
    // The call keeps what it has read of the caller's access, which the statement has just contradicted.
    if (count > 0) attempt = open(renewCall(call));
    const found = await findRecord(attempt.call, { entity, id, authorization: attempt.authorization });
    assertMatch(ifMatch, found);
    if (count > 0 && !mayRunAgain) break;
    const outcome = await run(attempt, found, ifMatch === null ? undefined : found.version);
    if (outcome !== null) return outcome;
  }
  throw storeUnavailable();
}

/** @throws CodedError `PRECONDITION_FAILED` */
export function assertMatch(ifMatch: IfMatch, { version }: EntityRecord): void {
  if (ifMatch !== null && !ifMatch.includes(version)) throw preconditionFailed();
}
