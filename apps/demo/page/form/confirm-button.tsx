import type { ClientResult } from '@x/client';
import type { ReactElement, ReactNode } from 'react';
import { t } from '../text/text.ts';
import { DialogButton, type DialogButtonProps } from './dialog-button.tsx';
import { Field } from './field.tsx';
import { Form } from './form.tsx';

/** A button for what cannot be undone: it asks first, and for the gravest has a name typed. */
export function ConfirmButton<T>(
  props: DialogButtonProps & {
    readonly body: ReactNode;
    /** The text of the button that does it. */
    readonly submit: string;
    /** The text that the user has to type first. */
    readonly typed?: string;
    readonly send: () => Promise<ClientResult<T>>;
    readonly onSent?: (data: T) => void;
  },
): ReactElement {
  const { body, submit, typed, send, onSent, className = 'danger', ...button } = props;
  return (
    <DialogButton
      {...button}
      className={className}
      content={(close) => (
        <>
          <div className="stack">{typeof body === 'string' ? <p>{body}</p> : body}</div>
          <Form
            label={button.title}
            submit={submit}
            className="form confirm"
            tone="danger"
            send={send}
            onSent={(data) => {
              close();
              onSent?.(data);
            }}
          >
            {typed !== undefined && (
              <Field label={t.organization.typeName(typed)} name="typed" pattern={escapePattern(typed)} title={typed} />
            )}
            {/* Before the button that does it, so that the focus begins in what does no harm. */}
            <button type="button" onClick={close}>
              {t.common.cancel}
            </button>
          </Form>
        </>
      )}
    />
  );
}

/** A pattern that only this text matches. */
function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
