import type { ClientResult } from '@x/client';
import { createContext, type ReactElement, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { client } from '../client/client.ts';
import { CodeField } from '../form/field.tsx';
import { Form } from '../form/form.tsx';

/** Sends a request. If it needs a more recent second factor, asks for a code and sends the request once more. */
type SendWithStepUp = <T>(send: () => Promise<ClientResult<T>>) => Promise<ClientResult<T>>;

/** How components below {@link StepUp} send what may need a recent second factor. */
export const StepUpContext: React.Context<SendWithStepUp> = createContext<SendWithStepUp>((send) => send());

/** Shows the dialog that asks for the second factor, whichever component below sends. */
export function StepUp(props: { readonly children: ReactNode }): ReactElement {
  const [closeDialog, setCloseDialog] = useState<((isConfirmed: boolean) => void) | null>(null);
  const sendWithStepUp: SendWithStepUp = useCallback(async (send) => {
    const refused = await send();
    if (refused.ok || refused.error.code !== 'STEP_UP_REQUIRED') return refused;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    setCloseDialog(() => resolve);
    const isConfirmed = await promise;
    setCloseDialog(null);
    return isConfirmed ? send() : refused;
  }, []);
  return (
    <StepUpContext value={sendWithStepUp}>
      {props.children}
      {closeDialog && <StepUpDialog onClose={closeDialog} />}
    </StepUpContext>
  );
}

/** Asks for a code of the second factor. */
function StepUpDialog(props: { readonly onClose: (isConfirmed: boolean) => void }): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby="step-up" className="card" onClose={() => props.onClose(false)}>
      <h2 id="step-up">Confirm that it is you</h2>
      <Form
        label="Second factor"
        submit="Continue"
        send={({ code = '' }) => client.auth.mfa.stepUp({ code })}
        onSent={() => props.onClose(true)}
      >
        <p>This needs a code that is only a few minutes old.</p>
        <CodeField />
      </Form>
      <button onClick={() => props.onClose(false)}>Cancel</button>
    </dialog>
  );
}
