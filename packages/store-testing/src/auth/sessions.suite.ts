import { describe } from 'vitest';
import type { StoreTest } from '../store-test.ts';
import { describeSessionChanges } from './session-changes.suite.ts';
import { describeSessionCreation } from './session-creation.suite.ts';
import { describeSessionLocks } from './session-locks.suite.ts';
import { describeSessionModel } from './session-model.suite.ts';
import { describeOwnRevocation } from './session-own-revocation.suite.ts';
import { describeSessionPruning } from './session-pruning.suite.ts';
import { describeSessionReads } from './session-reads.suite.ts';
import { describeSessionRevocation } from './session-revocation.suite.ts';
import { describeSessionRotation } from './session-rotation.suite.ts';

/** Describes what every session store does. */
export function describeSessions(it: StoreTest): void {
  describe('the store of sessions', () => {
    describeSessionCreation(it);
    describeSessionRotation(it);
    describeSessionChanges(it);
    describeSessionReads(it);
    describeSessionLocks(it);
    describeSessionRevocation(it);
    describeOwnRevocation(it);
    describeSessionPruning(it);
    describeSessionModel(it);
  });
}
