import type { ClientError, ClientResult } from '@x/client';
import { type ReactElement, use, useState } from 'react';
import { toErrorText } from '../screen/wording.tsx';
import { GuardedButton, type GuardedButtonProps } from './guarded-button.tsx';
import { WithProof } from './with-proof.ts';

/** A button that sends one request, and shows the error if it fails. */
export function ActionButton<T>(
  props: GuardedButtonProps & {
    readonly send: () => Promise<ClientResult<T>>;
    readonly onSent?: (data: T) => void;
  },
): ReactElement {
  const { send, onSent, ...button } = props;
  const withProof = use(WithProof);
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<ClientError | null>(null);
  const act = async (): Promise<void> => {
    setPending(true);
    const result = await withProof(send);
    setPending(false);
    setError(result.ok ? null : result.error);
    if (result.ok) onSent?.(result.data);
  };
  return (
    <>
      <GuardedButton {...button} isPending={isPending} onClick={() => void act()} />
      {error && (
        <span role="alert" className="error">
          {toErrorText(error)}
        </span>
      )}
    </>
  );
}
