import type { ClientError, ClientResult } from '@x/client';
import { type ReactElement, type ReactNode, use, useId, useState } from 'react';
import { useKeptFocus } from '../screen/screen.tsx';
import { toDenialText, toErrorText } from '../screen/wording.tsx';
import { Denial, type Verdict } from './verdict.tsx';
import { WithProof } from './with-proof.ts';

/**
 * A button that sends one request, and shows the error if it fails. If the action is not allowed, it says why instead,
 * and stays focusable, so that screen readers read the reason with it. It waits until it is known whether it is.
 */
export function ActionButton<T>(props: {
  readonly send: () => Promise<ClientResult<T>>;
  readonly onSent?: (data: T) => void;
  /** The accessible name, if several buttons of a screen have the same text. */
  readonly label?: string | undefined;
  readonly verdict?: Verdict | undefined;
  /** Whether a denial is said only to those who point at the button or read it aloud, as in a row of many. */
  readonly isTerse?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}): ReactElement {
  const { send, onSent, label, verdict, isTerse = false, className, children } = props;
  const id = useId();
  const button = useKeptFocus<HTMLButtonElement>();
  const withProof = use(WithProof);
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<ClientError | null>(null);
  const allowed = isAllowed(verdict);
  const isDenied = verdict?.check?.allowed === false;
  const onClick = async (): Promise<void> => {
    if (pending || !allowed) return;
    setPending(true);
    const result = await withProof(send);
    setPending(false);
    setError(result.ok ? null : result.error);
    if (result.ok) onSent?.(result.data);
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        aria-label={label}
        aria-disabled={pending || !allowed}
        aria-busy={pending}
        aria-describedby={isDenied ? id : undefined}
        title={isDenied && isTerse && verdict.check ? toDenialText(verdict.check) : undefined}
        onClick={() => void onClick()}
      >
        {children}
      </button>
      {isDenied && isTerse && verdict.check && (
        <span id={id} className="unseen">
          {toDenialText(verdict.check)}
        </span>
      )}
      {isDenied && !isTerse && <Denial of={verdict} id={id} />}
      {error && (
        <span role="alert" className="error">
          {toErrorText(error)}
        </span>
      )}
    </>
  );
}

/** Whether a control may act: one without a verdict may, one whose verdict is still open may not. */
export function isAllowed(verdict: Verdict | undefined): boolean {
  return verdict === undefined || verdict.check?.allowed === true;
}
