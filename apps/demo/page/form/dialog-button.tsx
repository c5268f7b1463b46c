import { type ReactElement, type ReactNode, useState } from 'react';
import { Dialog } from '../screen/dialog.tsx';
import { GuardedButton, type GuardedButtonProps } from './guarded-button.tsx';

/** How a button looks that opens a dialog, and when it may. */
export interface DialogButtonProps extends GuardedButtonProps {
  /** The heading of the dialog. */
  readonly title: string;
}

/** A button that opens a dialog, such as a form for something new. */
export function DialogButton(
  props: DialogButtonProps & { readonly content: (close: () => void) => ReactNode },
): ReactElement {
  const { title, content, ...button } = props;
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <>
      <GuardedButton {...button} hasDialog onClick={() => setOpen(true)} />
      {isOpen && (
        <Dialog title={title} onClose={close}>
          {content(close)}
        </Dialog>
      )}
    </>
  );
}
