import type { CodeInput, Proof } from '@x/auth';
import { useMemo } from 'react';
import type { Client, ClientResult, Subscribable } from '../index.ts';
import { useSubscribable } from './use-session.ts';

/**
 * Asks for a fresh proof where the server requires one, and then goes on where the user was. Use it once, above all
 * components that send, and render a dialog while there is a {@link Confirmation.proofRequest}.
 *
 * @example
 * ```ts
 * const { withProof, proofRequest } = useConfirmation(client);
 * const setup = await withProof(() => client.auth.mfa.setup());
 * ```
 */
export function useConfirmation(client: ConfirmingClient): Confirmation {
  return useSubscribable(useMemo(() => createConfirmation(client), [client]));
}

/** The part of a client that is used. */
type ConfirmingClient = Pick<Client, 'auth' | 'session'>;

/** Calls that may need a fresh proof, and the open request to their user. */
export interface Confirmation {
  /**
   * Makes a call. If it is refused with `STEP_UP_REQUIRED`, it waits for a proof and is made again, as often as it is
   * refused; its result is that of the last time. It is not made again for another user, after `cancel` or unmounting,
   * or where a rule requires a second factor of a user who has none. Calls that wait at the same time share one proof.
   */
  readonly withProof: <T>(call: () => Promise<ClientResult<T>>) => Promise<ClientResult<T>>;
  /** The open request to the user; null if there is none. */
  readonly proofRequest: ProofRequest | null;
}

/** A request to the user for a fresh proof. */
export interface ProofRequest {
  /**
   * The methods that the user can prove their identity with. `submit` takes a password or a code; `provider` stands for
   * signing in again with a linked identity, by navigating to the `url` of `client.auth.providers`.
   */
  readonly methods: readonly ('password' | 'code' | 'provider')[];
  /** Sends a proof. If it is wrong, the result says so, and the request remains. */
  readonly submit: (proof: Proof) => Promise<ClientResult<unknown>>;
  /** Returns to the waiting calls that they were refused. */
  readonly cancel: () => void;
}

/** Creates the result of {@link useConfirmation}, for one subscriber. While there is none, no proof is requested. */
export function createConfirmation({ auth, session }: ConfirmingClient): Subscribable<Confirmation> {
  /** The outcome of the open request: whether there is a proof. Undefined if none is open, false if none may be. */
  let answer: Promise<boolean> | false | undefined = false;
  let cancel: () => void = () => {};
  let notify: (state: Confirmation) => void = cancel;

  const getUserId = (): string | undefined => session.getSnapshot().user?.id;
  const withProof: Confirmation['withProof'] = async (call) => {
    const askedFor = getUserId();
    const result = await call();
    if (result.ok || result.error.code !== 'STEP_UP_REQUIRED') return result;
    answer ??= ask(result.error.meta?.['methods'] as ProofRequest['methods'] | undefined).finally(() => {
      show(null);
      answer &&= undefined;
    });
    return (await answer) && askedFor === getUserId() ? withProof(call) : result;
  };
  /** Rules name no methods: only a step-up satisfies them, so users without a second factor are not asked. */
  const ask = (methods?: ProofRequest['methods']): Promise<boolean> =>
    new Promise((resolve) => {
      let isOpen = true;
      const close = (): void => {
        isOpen = false;
        resolve(false);
      };
      const request: ProofRequest = {
        methods: methods ?? ['code'],
        async submit(proof) {
          const result = await (methods ? auth.confirm(proof) : auth.mfa.stepUp(proof as CodeInput));
          if (result.ok) resolve(true);
          return result;
        },
        cancel: close,
      };
      cancel = close;
      if (methods) return show(request);
      void auth.mfa.status().then(({ data, error }) => {
        if (data?.enabled === false || error?.code === 'NOT_FOUND') close();
        else if (isOpen) show(request);
      });
    });
  const show = (proofRequest: ProofRequest | null): void => {
    state = { withProof, proofRequest };
    notify(state);
  };
  let state: Confirmation = { withProof, proofRequest: null };
  return {
    getSnapshot: () => state,
    subscribe(listener) {
      notify = listener;
      answer = undefined;
      listener(state);
      return () => {
        answer = false;
        cancel();
      };
    },
  };
}
