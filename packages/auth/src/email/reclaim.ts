import type { TransactionStores, UserId, UserRecord } from '@x/store';
import { EventLog, loggedTransaction } from '../events/events.ts';
import { type RequestContext, toRequestContext } from '../request/request-context.ts';
import { removeCredentials } from '../user/remove-credentials.ts';
import { finishInBatches } from '../user/unfinished.ts';
import { toUser } from '../user/user.ts';
import type { EmailDependencies } from './email.ts';
import { proveEmail } from './verification.ts';

/** An account, and the proof of its address by a person who need not be the one who signed up with it. */
interface Reclaimed {
  /** The user as they were, with an address that was never proven. */
  readonly user: UserRecord;
  /** The trusted provider that vouches for the address; absent if a mailed token proves it. */
  readonly provider?: string;
}

/**
 * Hands an account to the owner of its address, which has never been proven before. The user who signed up may be an
 * attacker, so one transaction removes everything that would let them in again: password, identities, sessions, mailed
 * tokens, and the second factor, active or pending. Then the app's hook revokes the access that they gave to others, in
 * as many batches as needed. At last the address is marked as proven.
 *
 * Meanwhile, no sign-in to the account succeeds, and no request can act on its behalf. Access that was given to others
 * lasts until its batch. If a batch fails, the next proof of the address continues, and so does pruning.
 *
 * @see Sudhodanan, Paverd: Pre-hijacked accounts. USENIX Security 2022
 */
export async function reclaimAccount(
  deps: EmailDependencies,
  reclaimed: Reclaimed,
  request: RequestContext,
): Promise<void> {
  await loggedTransaction(deps, request, (stores, log) => resetCredentials(deps, stores, { ...reclaimed, log }));
  await finishReclaim(deps, reclaimed.user.id, { request });
}

/** Does nothing if the account has changed meanwhile. */
async function resetCredentials(
  deps: EmailDependencies,
  stores: TransactionStores,
  { user: before, provider, log }: Reclaimed & { readonly log: EventLog },
): Promise<void> {
  const user = await stores.users.lock(before.id);
  if (user === null || !isReclaimable(user, before)) return;
  const { id: userId } = user;
  const cause = log.cause({ reason: 'account_reclaimed' });
  const { unlinked, ended } = await removeCredentials(stores, userId, cause);
  // The token of a reset was mailed to the owner, who needs it to set a password once this is done.
  if (provider !== undefined) await stores.passwordResets.remove(userId);
  const hadSecondFactor = await stores.mfa.remove(userId);
  // An operator created the account, and it has never been used: the owner of the address is meant to have its access.
  if (user.passwordHash === null && unlinked.length === 0 && ended.length === 0) {
    return proveEmail(deps, stores, { user, cause: log.cause() });
  }
  const detail = {
    ...(provider !== undefined && { provider }),
    hadPassword: user.passwordHash !== null,
    hadSecondFactor,
    unlinked: unlinked.map((each) => each.provider),
  };
  await stores.users.startReclaim(userId, log.cause({ detail, owner: user }));
}

function isReclaimable(user: UserRecord, before: UserRecord): boolean {
  const isOpen = user.disabledAt === null && user.emailProvenAt === null && user.unfinished === null;
  return isOpen && user.email === before.email;
}

/** Who goes on with a reclaim: the request that proves the address, or pruning, for some time. */
interface Continuation {
  readonly request?: RequestContext;
  readonly mayGoOn?: () => boolean;
}

/** Goes on with a reclaim, if one is unfinished. */
export async function finishReclaim(
  deps: EmailDependencies,
  userId: UserId,
  { request = toRequestContext(), mayGoOn = () => true }: Continuation,
): Promise<void> {
  const user = await deps.stores.users.findById(userId);
  if (user?.unfinished !== 'reclaim') return;
  await finishInBatches(deps, { userId, step: 'reclaim', mayGoOn }, async (context) => {
    await deps.hooks.onAccountReclaimed(toUser(user, deps.config), context);
    const log = await context.batch(async ({ stores }) => {
      // A batch may run again, and then logs anew.
      const attempt = new EventLog(request);
      await proveEmail(deps, stores, { user, cause: attempt.cause({ reason: 'account_reclaimed' }) });
      return attempt;
    });
    log.publish(deps.events);
  });
}
