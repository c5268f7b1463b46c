import { type ReactElement, useEffect, useRef } from 'react';
import { client } from '../client.ts';
import { CodeField } from '../form/field.tsx';
import { Form } from '../form/form.tsx';

/** Asks for the second factor once more; false where somebody would rather not. */
export function StepUpDialog(props: { readonly onAnswer: (isGiven: boolean) => void }): ReactElement {
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
