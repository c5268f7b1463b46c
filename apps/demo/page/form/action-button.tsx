import type { ClientError, ClientResult } from '@x/client';
import { type ReactElement, type ReactNode, useState } from 'react';
import { toErrorText } from './error-text.ts';

/** A button that does one thing on the server, and says what came of it where that is nothing. */
export function ActionButton<T>(props: {
  readonly send: () => Promise<ClientResult<T>>;
  readonly onSent?: (answer: T) => void;
  /** What it is called where its text alone does not tell it from others. */
  readonly label?: string | undefined;
  readonly className?: string;
  readonly children: ReactNode;
}): ReactElement {
  const { send, onSent, label, className, children } = props;
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<ClientError | null>(null);
  const onClick = async (): Promise<void> => {
    if (pending) return;
    setPending(true);
    const answer = await send();
    setPending(false);
    setError(answer.ok ? null : answer.error);
    if (answer.ok) onSent?.(answer.data);
  };
  return (
    <>
      <button className={className} aria-label={label} aria-disabled={pending} onClick={() => void onClick()}>
        {children}
      </button>
      {error && (
        <span role="alert" className="error">
          {toErrorText(error)}
        </span>
      )}
    </>
  );
}
