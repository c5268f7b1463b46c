import { type ReactElement, type ReactNode, useId, useState } from 'react';
import { Dialog } from '../screen/dialog.tsx';
import { useKeptFocus } from '../screen/screen.tsx';
import { toDenialText } from '../screen/wording.tsx';
import { isAllowed } from './action-button.tsx';
import { Denial, type Verdict } from './verdict.tsx';

/** How a button looks that opens a dialog, and when it may. */
export interface DialogButtonProps {
  /** The heading of the dialog. */
  readonly title: string;
  /** The accessible name, if several buttons of a screen have the same text. */
  readonly label?: string | undefined;
  readonly verdict?: Verdict | undefined;
  /** Whether a denial is said only to those who point at the button or read it aloud, as in a row of many. */
  readonly isTerse?: boolean;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/** A button that opens a dialog, such as a form for something new. If that is not allowed, it says why instead. */
export function DialogButton(
  props: DialogButtonProps & { readonly content: (close: () => void) => ReactNode },
): ReactElement {
  const { title, label, verdict, isTerse = false, className, children, content } = props;
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const button = useKeptFocus<HTMLButtonElement>();
  const isDenied = verdict?.check?.allowed === false;
  const reason = isDenied && verdict.check ? toDenialText(verdict.check) : undefined;
  const close = (): void => setOpen(false);
  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
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
        <Dialog title={title} onClose={close}>
          {content(close)}
        </Dialog>
      )}
    </>
  );
}
