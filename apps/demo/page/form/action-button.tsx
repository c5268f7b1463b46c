import type { AccessCheck } from '@x/access/access-set';
import type { ClientError, ClientResult } from '@x/client';
import { type ReactElement, type ReactNode, use, useId, useState } from 'react';
import { useKeptFocus } from '../screen/screen.tsx';
import { toDenialText, toErrorText } from '../screen/wording.tsx';
import { WithProof } from './with-proof.ts';

/**
 * A button that sends one request, and shows the error if it fails. If the action is not allowed, it says why instead,
 * and stays focusable, so that screen readers read the reason with it.
 */
export function ActionButton<T>(props: {
  readonly send: () => Promise<ClientResult<T>>;
  readonly onSent?: (data: T) => void;
  /** The accessible name, if several buttons of a screen have the same text. */
  readonly label?: string | undefined;
  readonly check?: AccessCheck;
  readonly className?: string;
  readonly children: ReactNode;
}): ReactElement {
  const { send, onSent, label, check = allowed, className, children } = props;
  const id = useId();
  const button = useKeptFocus<HTMLButtonElement>();
  const withProof = use(WithProof);
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<ClientError | null>(null);
  const onClick = async (): Promise<void> => {
    if (pending || !check.allowed) return;
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
