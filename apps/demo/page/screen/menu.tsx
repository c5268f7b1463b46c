import { Ellipsis } from 'lucide-react';
import { type MouseEvent, type ReactElement, type ReactNode, useId, useRef, useState } from 'react';
import { useKeptFocus } from './screen.tsx';

/**
 * A button that shows the less frequent actions on something. What opens a dialog or leads elsewhere closes the menu,
 * which gives the focus back to the button first; other actions show in the menu that they wait or fail, and close it
 * when they are done.
 */
export function Menu(props: {
  readonly label: string;
  /** What the button shows. Default: three dots. */
  readonly icon?: ReactNode;
  readonly className?: string;
  readonly children: (close: () => void) => ReactNode;
}): ReactElement {
  const { label, icon = <Ellipsis aria-hidden />, className = 'quiet', children } = props;
  const id = useId();
  const button = useKeptFocus<HTMLButtonElement>();
  const menu = useRef<HTMLDivElement>(null);
  /** Most menus are never opened, and what they would show follows the server. Its dialogs outlive the open menu. */
  const [wasOpened, setOpened] = useState(false);
  const close = (): void => menu.current?.hidePopover();
  const closeBeforeLeaving = ({ target }: MouseEvent): void => {
    if (!(target instanceof Element)) return;
    if (!target.closest('a, [aria-haspopup="dialog"]:not([aria-disabled="true"])')) return;
    close();
    // A menu in the drawer of a phone does not do so by itself.
    button.current?.focus({ preventScroll: true });
  };
  return (
    <>
      <button ref={button} type="button" className={className} aria-label={label} title={label} popoverTarget={id}>
        {icon}
      </button>
      <div
        ref={menu}
        id={id}
        className="menu"
        popover="auto"
        role="group"
        aria-label={label}
        onBeforeToggle={() => setOpened(true)}
        onClickCapture={closeBeforeLeaving}
      >
        {wasOpened && children(close)}
      </div>
    </>
  );
}
