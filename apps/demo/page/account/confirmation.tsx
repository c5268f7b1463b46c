import { type ProofRequest, useConfirmation } from '@x/client/react';
import { type ReactElement, type ReactNode, useLayoutEffect, useRef } from 'react';
import { client } from '../client/client.ts';
import { useLoad } from '../client/load.tsx';
import { WithProof } from '../form/with-proof.ts';
import { CodeField, PasswordField } from '../form/field.tsx';
import { Form } from '../form/form.tsx';

/** Asks for a proof that it is the user, whichever form or button below needs one, and then lets it go on. */
export function Confirmation(props: { readonly children: ReactNode }): ReactElement {
  const { withProof, proofRequest } = useConfirmation(client);
  return (
    <>
      <WithProof value={withProof}>{props.children}</WithProof>
      {proofRequest && <ConfirmationDialog {...proofRequest} />}
    </>
  );
}

function ConfirmationDialog({ methods, submit, cancel }: ProofRequest): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null);
  // Closed before it is removed, a dialog gives the focus back to where it was.
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  const isByCode = methods.includes('code');
  const isTyped = isByCode || methods.includes('password');
  return (
    <dialog ref={dialog} aria-labelledby="confirmation" aria-describedby="why" className="card" onClose={cancel}>
      <h2 id="confirmation">Confirm that it is you</h2>
      <p id="why">This needs a proof that is less than five minutes old.</p>
      {isTyped && (
        <Form label="Proof" submit="Confirm" send={submit}>
          {isByCode ? <CodeField /> : <PasswordField />}
        </Form>
      )}
      {methods.includes('provider') && <SignInAgain isAlternative={isTyped} />}
      <button onClick={cancel}>Cancel</button>
    </dialog>
  );
}

/** Links that sign in once more with an identity of the user, which is a proof too, and lead back here. */
function SignInAgain(props: { readonly isAlternative: boolean }): ReactElement {
  const { value: providers = [] } = useLoad('providers', client.auth.providers);
  const { value: linked = [] } = useLoad('identities', client.auth.oauthAccounts.list);
  const here = encodeURIComponent(location.pathname + location.hash);
  return (
    <div className="providers">
      {props.isAlternative && <p className="divider">or</p>}
      {providers
        .filter(({ id }) => linked.some(({ provider }) => provider === id))
        .map(({ id, name, url }) => (
          <a key={id} href={`${url}?redirectTo=${here}`} className="button">
            Sign in again with {name}
          </a>
        ))}
    </div>
  );
}
