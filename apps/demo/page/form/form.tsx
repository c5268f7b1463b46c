import type { AccessCheck } from '@x/access/access-set';
import type { ClientError, ClientResult } from '@x/client';
import {
  createContext,
  type ReactElement,
  type ReactNode,
  type SubmitEvent,
  use,
  useEffect,
  useId,
  useState,
} from 'react';
import { useKeptFocus } from '../screen/screen.tsx';
import { toDenialText, toErrorText } from '../screen/wording.tsx';
import { WithProof } from './with-proof.ts';

/** The values of a form by the names of its fields. */
export type FormValues = Readonly<Record<string, string>>;

/** What the server found wrong with the fields of the surrounding form, by their names. */
export const FieldErrors: React.Context<FormValues> = createContext<FormValues>({});

/**
 * A form that sends its values. Errors appear next to their field, or else above the button, and get the focus.
 * If sending is not allowed, the form says why.
 */
export function Form<T>(props: {
  readonly label: string;
  readonly submit: string;
  readonly send: (values: FormValues) => Promise<ClientResult<T>>;
  readonly onSent?: (data: T) => void;
  /** Whether to empty the fields once they are sent. */
  readonly clears?: boolean;
  readonly check?: AccessCheck;
  readonly className?: string;
  /** What its button looks like. */
  readonly tone?: 'primary' | 'danger' | 'plain';
  readonly children?: ReactNode;
}): ReactElement {
  const { label, submit, send, onSent, clears = false, check = allowed, className = 'form', children } = props;
  const id = useId();
  const [pending, setPending] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const form = useKeptFocus<HTMLFormElement>();
  const withProof = use(WithProof);

  useEffect(() => {
    if (refusal) form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [role="alert"]')?.focus();
  }, [form, refusal]);

  const onSubmit = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (pending || !check.allowed) return;
    const values = Object.fromEntries(new FormData(event.currentTarget)) as FormValues;
    setPending(true);
    const result = await withProof(() => send(values));
    setPending(false);
    setRefusal(result.ok ? null : toRefusal(result.error, values));
    if (!result.ok) return;
    if (clears) form.current?.reset();
    onSent?.(result.data);
  };
  return (
    <form ref={form} aria-label={label} className={className} onSubmit={(event) => void onSubmit(event)}>
      <FieldErrors value={refusal?.fields ?? {}}>{children}</FieldErrors>
      {refusal?.text && (
        <p role="alert" tabIndex={-1} className="error">
          {refusal.text}
        </p>
      )}
      <button
        className={props.tone ?? 'primary'}
        aria-disabled={pending || !check.allowed}
        aria-busy={pending}
        aria-describedby={check.allowed ? undefined : id}
      >
        {submit}
      </button>
      {!check.allowed && (
        <p id={id} className="hint">
          {toDenialText(check)}
        </p>
      )}
    </form>
  );
}

const allowed: AccessCheck = { allowed: true, reasons: [] };

/** Why the server refused a form: by fields, or else as a whole. */
interface Refusal {
  readonly fields: FormValues;
  readonly text: string;
}

function toRefusal(error: ClientError, sent: FormValues): Refusal {
  const named = (error.issues ?? []).flatMap(({ path: [name], message }) =>
    typeof name === 'string' && Object.hasOwn(sent, name) ? [[name, message] as const] : [],
  );
  // Each field shows its first issue only: later entries win, so the order is reversed.
  const fields = Object.fromEntries(named.toReversed());
  return { fields, text: named.length > 0 ? '' : toErrorText(error) };
}
