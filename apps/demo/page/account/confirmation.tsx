import { type ProofRequest, useConfirmation, useQuery } from '@x/client/react';
import { type ReactElement, type ReactNode, useId } from 'react';
import { cache, client } from '../client/client.ts';
import { providers } from '../client/queries.ts';
import { CodeField, OwnUsername, PasswordField } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { WithProof } from '../form/with-proof.ts';
import { Dialog } from '../screen/dialog.tsx';
import { t } from '../text/text.ts';

/** The identities that the user has linked. */
export const identities = cache.query(['identities'], (_: void, options) => client.auth.oauthAccounts.list(options));

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
  const id = useId();
  const isByCode = methods.includes('code');
  const isTyped = isByCode || methods.includes('password');
  return (
    <Dialog title={t.account.confirmTitle} describedBy={id} onClose={cancel}>
      <p id={id}>{t.account.confirmBody}</p>
      {isTyped && (
        <Form label={t.account.confirmForm} submit={t.account.confirm} send={submit}>
          {!isByCode && <OwnUsername />}
          {isByCode ? <CodeField /> : <PasswordField />}
        </Form>
      )}
      {methods.includes('provider') && <SignInAgain isAlternative={isTyped} />}
      <button type="button" onClick={cancel}>
        {t.common.cancel}
      </button>
    </Dialog>
  );
}

/** Links that sign in once more with an identity of the user, which is a proof too, and lead back here. */
function SignInAgain(props: { readonly isAlternative: boolean }): ReactElement {
  const { data: offered = [] } = useQuery(providers, undefined);
  const { data: linked = [] } = useQuery(identities, undefined);
  const query = new URLSearchParams({ redirectTo: location.pathname + location.search });
  return (
    <div className="providers">
      {props.isAlternative && <p className="divider">{t.common.or}</p>}
      {offered
        .filter(({ id }) => linked.some(({ provider }) => provider === id))
        .map(({ id, name, url }) => (
          <a key={id} href={`${url}?${query}`} className="button">
            {t.account.signInAgainWith(name)}
          </a>
        ))}
    </div>
  );
}
