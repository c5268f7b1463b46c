import { X } from 'lucide-react';
import { type ReactElement, type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { t } from '../text/text.ts';
import { Announcements } from './announce.tsx';

/**
 * Something that is in front of the screen until it is done or left. Closed, it gives the focus back to where it was.
 * It stands in the body, so that it stays when what has opened it is hidden, such as a menu.
 */
export function Dialog(props: {
  readonly title: string;
  readonly onClose: () => void;
  /** Whether it stands at the side, as tall as the screen. */
  readonly side?: boolean;
  readonly describedBy?: string;
  /** Stands beside the button that closes it. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}): ReactElement {
  const { title, onClose, side = false, describedBy, actions, children } = props;
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const shown = dialog.current;
    const before = document.activeElement;
    if (!shown?.open) shown?.showModal();
    return () => {
      shown?.close();
      const focused = document.activeElement;
      if (focused === document.body || shown?.contains(focused)) focusVisible(before);
    };
  }, []);
  return createPortal(
    <dialog
      ref={dialog}
      aria-labelledby={id}
      aria-describedby={describedBy}
      className={side ? 'panel' : 'dialog'}
      onClose={onClose}
      onMouseDown={(event) => {
        // The second click of two that were meant for the button below does not count.
        if (event.target === dialog.current && event.detail < 2) dialog.current.close();
      }}
    >
      <div className="dialog-body">
        <h2 id={id}>{title}</h2>
        {children}
        {/* The last ones, so that the focus begins in what the dialog is about. What arrives later takes it itself. */}
        <div className="dialog-tools">
          {actions}
          <button type="button" className="quiet" aria-label={t.common.close} onClick={() => dialog.current?.close()}>
            <X aria-hidden />
          </button>
        </div>
      </div>
      <Announcements />
    </dialog>,
    document.body,
  );
}

/**
 * Gives the focus to an element; where the dialog has hidden it with the menu or the drawer that it stands in, to the
 * button that shows those.
 */
function focusVisible(element: Element | null): void {
  if (!(element instanceof HTMLElement) || !element.isConnected) return;
  if (element.checkVisibility()) return element.focus({ preventScroll: true });
  const hidden = element.closest('[popover]');
  if (hidden) focusVisible(document.querySelector(`[popovertarget="${CSS.escape(hidden.id)}"]`));
}
