import { type EntityRecord, storeUnavailable } from '@x/store';
import { preconditionFailed } from '../authorization/refusals.ts';
import { lookUp, type Target } from './find-record.ts';
import { renewScope, type Scope } from './scope.ts';

/** A change of one record, in steps. */
interface Mutation<Outcome> extends Target {
  readonly ifMatch: IfMatch;
  /** Whether the statement alone can't decide it. */
  readonly needsLookup: boolean;
  /** Whether `run` may be called again after it touched no row; false once hooks have seen the record. */
  readonly isRepeatable: boolean;
  /**
   * Runs the statement, which includes every condition, and the version if one is given. Returns null if no row was
   * touched.
   *
   * @param found - the record, if it was looked up
   * @param asking - the scope that it was looked up with
   */
  readonly run: (found: EntityRecord | null, version: number | undefined, asking: Scope) => Promise<Outcome | null>;
}

/** How often a record may change between lookup and statement. */
const maxAttempts = 5;

/**
 * Changes a record by one statement that includes all conditions. If no row was touched, or the statement alone can't
 * decide, the record is looked up to find the reason. If there is none, the record or the caller's access was changed
 * concurrently, and the statement is tried again; except with hooks, which must run only once.
 *
 * @throws CodedError as `lookUp`, `PRECONDITION_FAILED`, and what `run` throws
 */
export async function mutate<Outcome>(scope: Scope, mutation: Mutation<Outcome>): Promise<Outcome> {
  const { ifMatch, needsLookup, isRepeatable, run } = mutation;
  if (!needsLookup && (ifMatch === null || ifMatch.length === 1)) {
    const outcome = await run(null, ifMatch?.[0], scope);
    if (outcome !== null) return outcome;
  }
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    // The scope keeps what it has read of the caller's access, which the statement has just contradicted.
    const asking = attempt === 0 ? scope : renewScope(scope);
    const found = await lookUp(asking, mutation);
    assertMatch(ifMatch, found);
    if (attempt > 0 && !isRepeatable) break;
    const outcome = await run(found, ifMatch === null ? undefined : found.version, asking);
    if (outcome !== null) return outcome;
  }
  throw storeUnavailable();
}

/** The versions of a record that a caller accepts; null for any. */
export type IfMatch = readonly number[] | null;

/**
 * @throws CodedError `PRECONDITION_FAILED` if the record has none of the versions
 *
 * @throws CodedError `PRECONDITION_FAILED` where the record has none of the versions
 */
function assertMatch(ifMatch: IfMatch, { version }: EntityRecord): void {
  if (ifMatch !== null && !ifMatch.includes(version)) throw preconditionFailed();
}
