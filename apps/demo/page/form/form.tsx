import type { ClientError, ClientResult } from '@x/client';
import { createContext, type ReactElement, type ReactNode, type SubmitEvent, useEffect, useRef, useState } from 'react';
import { toErrorText } from './error-text.ts';

/** What a form holds, by the names of its fields. */
export type Values = Readonly<Record<string, string>>;

/** The fields of a form that the server refused, with its words. */
export const FieldErrors: React.Context<Values> = createContext<Values>({});

/**
 * A form that sends what it holds. What the server has against it is said at the field, or else above the button, and
 * the focus goes there.
 */
export function Form<T>(props: {
  readonly label: string;
  readonly submit: string;
  readonly send: (values: Values) => Promise<ClientResult<T>>;
  readonly onSent?: (answer: T) => void;
  /** Whether the fields are empty again once they are sent. */
  readonly clears?: boolean;
  readonly className?: string;
  readonly children?: ReactNode;
}): ReactElement {
  const { label, submit, send, onSent, clears = false, className = 'form', children } = props;
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<ClientError | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const fieldErrors = toFieldErrors(error);

  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [role="alert"]')?.focus();
  }, [error]);

  const onSubmit = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const values = Object.fromEntries(new FormData(event.currentTarget)) as Values;
    setPending(true);
    const answer = await send(values);
    setPending(false);
    setError(answer.ok ? null : answer.error);
    if (!answer.ok) return;
    if (clears) form.current?.reset();
    onSent?.(answer.data);
  };
  const isFieldless = error && Object.keys(fieldErrors).length === 0;
  return (
    <form ref={form} aria-label={label} className={className} onSubmit={(event) => void onSubmit(event)}>
      <FieldErrors value={fieldErrors}>{children}</FieldErrors>
      {isFieldless && (
        <p role="alert" tabIndex={-1} className="error">
          {toErrorText(error)}
        </p>
      )}
      <button className="primary" aria-disabled={pending} aria-busy={pending}>
        {submit}
      </button>
    </form>
  );
}

function toFieldErrors(error: ClientError | null): Values {
  const named = (error?.issues ?? []).flatMap(({ path, message }) =>
    typeof path[0] === 'string' ? [[path[0], message] as const] : [],
  );
  // The first thing that is wrong with a field comes first, and says enough.
  return Object.fromEntries(named.toReversed());
}
