import type { ClientResult } from '@x/client';
import { type ReactElement, type ReactNode, useId, useState } from 'react';
import { Dialog } from '../screen/dialog.tsx';
import { useKeptFocus } from '../screen/screen.tsx';
import { toDenialText } from '../screen/wording.tsx';
import { t } from '../text/text.ts';
import { isAllowed } from './action-button.tsx';
import { Field } from './field.tsx';
import { Form } from './form.tsx';
import { Denial, type Verdict } from './verdict.tsx';

/** A button for what cannot be undone: it asks first, and for the gravest has a name typed. */
export function ConfirmButton<T>(props: {
  readonly title: string;
  readonly body: ReactNode;
  /** The text of the button that does it. */
  readonly submit: string;
  /** The text that the user has to type first. */
  readonly typed?: string;
  readonly send: () => Promise<ClientResult<T>>;
  readonly onSent?: (data: T) => void;
  readonly label?: string;
  readonly verdict?: Verdict | undefined;
  readonly isTerse?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}): ReactElement {
  const { title, body, submit, typed, send, onSent, label, verdict, isTerse = false, className, children } = props;
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const button = useKeptFocus<HTMLButtonElement>();
  const isDenied = verdict?.check?.allowed === false;
  const reason = isDenied && verdict.check ? toDenialText(verdict.check) : undefined;
  return (
    <>
      <button
        ref={button}
        type="button"
        className={className ?? 'danger'}
        aria-label={label}
        aria-disabled={!isAllowed(verdict)}
        aria-describedby={isDenied ? id : undefined}
        aria-haspopup="dialog"
        title={isTerse ? reason : undefined}
        onClick={() => setOpen(isAllowed(verdict))}
      >
        {children}
      </button>
      {isDenied && isTerse && (
        <span id={id} className="unseen">
          {reason}
        </span>
      )}
      {isDenied && !isTerse && <Denial of={verdict} id={id} />}
      {isOpen && (
        <Dialog title={title} onClose={() => setOpen(false)}>
          <div className="stack">{typeof body === 'string' ? <p>{body}</p> : body}</div>
          <Confirm
            {...{ title, submit, send }}
            typed={typed}
            onSent={(data) => {
              setOpen(false);
              onSent?.(data);
            }}
          />
          <button type="button" onClick={() => setOpen(false)}>
            {t.common.cancel}
          </button>
        </Dialog>
      )}
    </>
  );
}

function Confirm<T>(props: {
  readonly title: string;
  readonly submit: string;
  readonly typed: string | undefined;
  readonly send: () => Promise<ClientResult<T>>;
  readonly onSent: (data: T) => void;
}): ReactElement {
  const { title, submit, typed, send, onSent } = props;
  return (
    <Form label={title} submit={submit} tone="danger" send={send} onSent={onSent}>
      {typed !== undefined && (
        <Field
          label={t.organization.typeName(typed)}
          name="typed"
          autoComplete="off"
          pattern={escapePattern(typed)}
          title={typed}
        />
      )}
    </Form>
  );
}

/** A pattern that only this text matches. */
function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
