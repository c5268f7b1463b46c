import type { AccessCheck } from '@x/access/access-set';
import type { ClientError, ClientResult } from '@x/client';
import { type ReactElement, type ReactNode, useId, useState } from 'react';
import { toDenialText, toErrorText } from '../screen/wording.tsx';
import { useKeptFocus } from '../screen/screen.tsx';

/**
 * A button that does one thing on the server, and says what came of it where that is nothing. Where it is not allowed it
 * says why instead; it can be reached all the same, so that its reason is read with it.
 */
export function ActionButton<T>(props: {
  readonly send: () => Promise<ClientResult<T>>;
  readonly onSent?: (answer: T) => void;
  /** What it is called where its text alone does not tell it from others. */
  readonly label?: string | undefined;
  readonly check?: AccessCheck;
  readonly className?: string;
  readonly children: ReactNode;
}): ReactElement {
  const { send, onSent, label, check = allowed, className, children } = props;
  const id = useId();
  const button = useKeptFocus<HTMLButtonElement>();
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<ClientError | null>(null);
  const onClick = async (): Promise<void> => {
    if (pending || !check.allowed) return;
    setPending(true);
    const answer = await send();
    setPending(false);
    setError(answer.ok ? null : answer.error);
    if (answer.ok) onSent?.(answer.data);
  };
  return (
    <>
      <button
        ref={button}
        className={className}
        aria-label={label}
        aria-disabled={pending || !check.allowed}
        aria-describedby={check.allowed ? undefined : id}
        onClick={() => void onClick()}
      >
        {children}
      </button>
      {!check.allowed && (
        <span id={id} className="hint">
          {toDenialText(check)}
        </span>
      )}
      {error && (
        <span role="alert" className="error">
          {toErrorText(error)}
        </span>
      )}
    </>
  );
}

const allowed: AccessCheck = { allowed: true, reasons: [] };
