import type { Clock, Stores, TransactionStores } from '@x/store';
import { assertStorableText, maxTransactionMs, RevocationListeners } from '@x/store/engine';
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
import { refuseUnstorable } from './refuse-unstorable.ts';
import { createRoleAssignmentStore } from './role-assignments.ts';
import { Scope } from './scope.ts';
import { createSessionStore } from './sessions.ts';
import { createSubscriptionStore } from './subscriptions.ts';
import { createUserStore } from './users.ts';
import { createWalletStore } from './wallets.ts';

/** Opens stores on a database that others may have open as well; a transaction may take `limitMs`. */
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

/** Creates the stores of a scope, each on first use: a transaction needs few of them. */
function toStores(scope: Scope): TransactionStores {
  const users = once(() => refuseUnstorable(createUserStore(scope), ['findById', 'hold']));
  const sessions = once(() => refuseUnstorable(createSessionStore(scope)));
  const rateLimits = once(() => refuseUnstorable(createRateLimitStore(scope)));
  const events = once(() => refuseUnstorable(createEventStore(scope)));
  const counters = once(() => refuseUnstorable(createCounterStore(scope)));
  const emailVerifications = once(() => refuseUnstorable(createMailTokenStore(scope, 'emailVerifications')));
  const passwordResets = once(() => refuseUnstorable(createMailTokenStore(scope, 'passwordResets')));
  const oneTimeIds = once(() => refuseUnstorable(createOneTimeIdStore(scope)));
  const mfa = once(() => refuseUnstorable(createMfaStore(scope)));
  const oauthAccounts = once(() => refuseUnstorable(createOAuthAccountStore(scope), ['unlink']));
  const entities = once(() => refuseUnstorable(createEntityStore(scope), ['create']));
  const roleAssignments = once(() => refuseUnstorable(createRoleAssignmentStore(scope), ['hasRoleNow']));
  const closure = once(() => refuseUnstorable(createClosureStore(scope)));
  const flags = once(() => refuseUnstorable(createFlagStore(scope)));
  const subscriptions = once(() => refuseUnstorable(createSubscriptionStore(scope)));
  const wallets = once(() => refuseUnstorable(createWalletStore(scope)));
  return {
    get users() {
      return users();
    },
    get sessions() {
      return sessions();
    },
    get rateLimits() {
      return rateLimits();
    },
    get events() {
      return events();
    },
    get counters() {
      return counters();
    },
    get emailVerifications() {
      return emailVerifications();
    },
    get passwordResets() {
      return passwordResets();
    },
    get oneTimeIds() {
      return oneTimeIds();
    },
    get mfa() {
      return mfa();
    },
    get oauthAccounts() {
      return oauthAccounts();
    },
    get entities() {
      return entities();
    },
    get roleAssignments() {
      return roleAssignments();
    },
    get hierarchy() {
      return closure();
    },
    get flags() {
      return flags();
    },
    get subscriptions() {
      return subscriptions();
    },
    get wallets() {
      return wallets();
    },
    lock: async (name) => {
      assertStorableText(name);
      scope.assertInTransaction();
    },
    transaction: async (work) => scope.transaction(async (inside) => work(toStores(inside))),
  };
}

function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => (made ??= make());
}
