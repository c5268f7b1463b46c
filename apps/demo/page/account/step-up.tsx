import type { ClientResult } from '@x/client';
import { createContext, type ReactElement, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { client } from '../client/client.ts';
import { CodeField } from '../form/field.tsx';
import { Form } from '../form/form.tsx';

/** Sends something, and asks for the second factor where it needs a recent one: then it is sent once more. */
type SendWithStepUp = <T>(send: () => Promise<ClientResult<T>>) => Promise<ClientResult<T>>;

/** What sends with the second factor below {@link StepUp}. */
export const StepUpContext: React.Context<SendWithStepUp> = createContext<SendWithStepUp>((send) => send());

/** Lets all below it ask for the second factor. */
export function StepUp(props: { readonly children: ReactNode }): ReactElement {
  const [answer, setAnswer] = useState<((isGiven: boolean) => void) | null>(null);
  const sendWithStepUp: SendWithStepUp = useCallback(async (send) => {
    const refused = await send();
    if (refused.ok || refused.error.code !== 'STEP_UP_REQUIRED') return refused;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    setAnswer(() => resolve);
    const isGiven = await promise;
    setAnswer(null);
    return isGiven ? send() : refused;
  }, []);
  return (
    <StepUpContext value={sendWithStepUp}>
      {props.children}
      {answer && <StepUpDialog onAnswer={answer} />}
    </StepUpContext>
  );
}

/** Asks for the second factor once more; false where somebody would rather not. */
function StepUpDialog(props: { readonly onAnswer: (isGiven: boolean) => void }): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby="step-up" className="card" onClose={() => props.onAnswer(false)}>
      <h2 id="step-up">Confirm that it is you</h2>
      <Form
        label="Second factor"
        submit="Continue"
        send={({ code = '' }) => client.auth.mfa.stepUp({ code })}
        onSent={() => props.onAnswer(true)}
      >
        <p>This needs a code that is only a few minutes old.</p>
        <CodeField />
      </Form>
      <button onClick={() => props.onAnswer(false)}>Cancel</button>
    </dialog>
  );
}
