import { maxTransactionMs, RevocationListeners, type Clock, type Stores, type TransactionStores } from '@x/store';
import { createClosureStore } from './closure.ts';
import { createCounterStore } from './counters.ts';
import { createEntityStore } from './entities.ts';
import { createEventStore } from './events.ts';
import { createMailTokenStore } from './mail-tokens.ts';
import { createFlagStore } from './flags.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { createMfaStore } from './mfa.ts';
import { createOAuthAccountStore } from './oauth-accounts.ts';
import { createOneTimeIdStore } from './one-time-ids.ts';
import { createRateLimitStore } from './rate-limits.ts';
import { createRoleAssignmentStore } from './role-assignments.ts';
import { Scope } from './scope.ts';
import { createSessionStore } from './sessions.ts';
import { createSubscriptionStore } from './subscriptions.ts';
import { createUserStore } from './users.ts';
import { createWalletStore } from './wallets.ts';

/** Opens stores on a database, beside others that may be open on it; a transaction may take `limitMs`. */
export function openMemoryStores(database: MemoryDatabase, clock: Clock, limitMs: number = maxTransactionMs): Stores {
  const listeners = new RevocationListeners();
  const scope = new Scope({ ...database, clock, limitMs, tell: (revocations) => listeners.tell(revocations) });
  const answer = async (): Promise<void> => scope.read(() => undefined);
  return {
    ...toStores(scope),
    clock,
    onRevoked: (listener) => listeners.add(listener),
    migrate: answer,
    ping: answer,
    readServerTime: async () => scope.read(() => null),
    close: async () => scope.end(),
  };
}

/** Makes the stores of a scope, each when it is asked for: a transaction needs few of them. */
function toStores(scope: Scope): TransactionStores {
  return {
    get users() {
      return createUserStore(scope);
    },
    get sessions() {
      return createSessionStore(scope);
    },
    get rateLimits() {
      return createRateLimitStore(scope);
    },
    get events() {
      return createEventStore(scope);
    },
    get counters() {
      return createCounterStore(scope);
    },
    get emailVerifications() {
      return createMailTokenStore(scope, 'emailVerifications');
    },
    get passwordResets() {
      return createMailTokenStore(scope, 'passwordResets');
    },
    get oneTimeIds() {
      return createOneTimeIdStore(scope);
    },
    get mfa() {
      return createMfaStore(scope);
    },
    get oauthAccounts() {
      return createOAuthAccountStore(scope);
    },
    get entities() {
      return createEntityStore(scope);
    },
    get roleAssignments() {
      return createRoleAssignmentStore(scope);
    },
    get closure() {
      return createClosureStore(scope);
    },
    get flags() {
      return createFlagStore(scope);
    },
    get subscriptions() {
      return createSubscriptionStore(scope);
    },
    get wallets() {
      return createWalletStore(scope);
    },
    lock: async () => scope.assertInTransaction(),
    transaction: async (work) => scope.transaction(async (inside) => work(toStores(inside))),
  };
}
