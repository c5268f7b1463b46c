import { X } from 'lucide-react';
import { type ReactElement, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { t } from '../text/text.ts';
import { Announcements } from './announce.tsx';
import { discardUnsaved, hasUnsaved } from './unsaved.ts';

/**
 * Something that is in front of the screen until it is done or left. Where something in it is not saved, it asks before
 * it is left. Closed, it gives the focus back to where it was. It stands in the body, so that it stays when what has
 * opened it is hidden, such as a menu.
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
  const [isLeaving, setLeaving] = useState(false);
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
  const leave = (): void => {
    if (hasUnsaved(dialog.current)) setLeaving(true);
    else dialog.current?.close();
  };
  return createPortal(
    <dialog
      ref={dialog}
      aria-labelledby={id}
      aria-describedby={describedBy}
      className={side ? 'panel' : 'dialog'}
      onCancel={(event) => {
        if (event.target !== dialog.current) return;
        event.preventDefault();
        leave();
      }}
      onClose={({ target }) => {
        if (target !== dialog.current) return;
        if (!hasUnsaved(dialog.current)) return onClose();
        // Browsers let nobody keep a dialog open at the second of two Escapes in a row.
        dialog.current.showModal();
        setLeaving(true);
      }}
      onMouseDown={(event) => {
        // The second click of two that were meant for the button below does not count.
        if (event.target === dialog.current && event.detail < 2) leave();
      }}
    >
      <div className="dialog-body">
        <h2 id={id}>{title}</h2>
        {children}
        {/* The last ones, so that the focus begins in what the dialog is about. What arrives later takes it itself. */}
        <div className="dialog-tools">
          {actions}
          <button type="button" className="quiet" aria-label={t.common.close} onClick={leave}>
            <X aria-hidden />
          </button>
        </div>
      </div>
      <Announcements />
      {isLeaving && (
        <DiscardQuestion
          onKeep={() => setLeaving(false)}
          onDiscard={() => {
            discardUnsaved(dialog.current);
            onClose();
          }}
        />
      )}
    </dialog>,
    document.body,
  );
}

/** Asks whether what is not saved may be lost. */
export function DiscardQuestion(props: { readonly onKeep: () => void; readonly onDiscard: () => void }): ReactElement {
  return (
    <Dialog title={t.discard.title} onClose={props.onKeep}>
      <div className="form confirm">
        <button type="button" onClick={props.onKeep}>
          {t.discard.keep}
        </button>
        <button
          type="button"
          className="danger"
          onClick={({ currentTarget }) => {
            // The focus is back in what is left, and goes from there to where that was opened.
            currentTarget.closest('dialog')?.close();
            props.onDiscard();
          }}
        >
          {t.discard.discard}
        </button>
      </div>
    </Dialog>
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
