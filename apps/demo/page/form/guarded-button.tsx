import { type ReactElement, type ReactNode, useId } from 'react';
import { useKeptFocus } from '../screen/screen.tsx';
import { toDenialText } from '../screen/wording.tsx';
import { Denial, isAllowed, type Verdict } from './verdict.tsx';

/** How a button looks, and when it may act. */
export interface GuardedButtonProps {
  /** The accessible name, if several buttons of a screen have the same text. */
  readonly label?: string | undefined;
  readonly verdict?: Verdict | undefined;
  /** Whether a denial is said only to those who press the button, point at it, or read it aloud, as in a row of many. */
  readonly isTerse?: boolean;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/**
 * A button that acts if that is allowed. If not, it says why instead, and stays focusable, so that screen readers read
 * the reason with it. It waits until it is known whether it is.
 */
export function GuardedButton(
  props: GuardedButtonProps & {
    readonly onClick: () => void;
    readonly isPending?: boolean;
    /** Whether it opens a dialog. */
    readonly hasDialog?: boolean;
  },
): ReactElement {
  const { label, verdict, isTerse = false, className, children, onClick, isPending = false, hasDialog = false } = props;
  const id = useId();
  const button = useKeptFocus<HTMLButtonElement>();
  const isDenied = verdict?.check?.allowed === false;
  const reason = isDenied && verdict.check ? toDenialText(verdict.check) : undefined;
  const mayAct = isAllowed(verdict) && !isPending;
  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        aria-label={label}
        aria-disabled={!mayAct}
        aria-busy={isPending}
        aria-describedby={isDenied ? id : undefined}
        aria-haspopup={hasDialog ? 'dialog' : undefined}
        popoverTarget={isDenied && isTerse ? `${id}-why` : undefined}
        title={isTerse ? reason : undefined}
        onClick={mayAct ? onClick : undefined}
      >
        {children}
      </button>
      {isDenied && isTerse && (
        <div id={`${id}-why`} className="menu" popover="auto">
          <Denial of={verdict} id={id} />
        </div>
      )}
      {isDenied && !isTerse && <Denial of={verdict} id={id} />}
    </>
  );
}
