import type { ClientError, ClientResult } from '@x/client';
import {
  createContext,
  type ReactElement,
  type ReactNode,
  type SubmitEvent,
  use,
  useEffect,
  useId,
  useLayoutEffect,
  useState,
} from 'react';
import { useKeptFocus } from '../screen/screen.tsx';
import { rememberSaved } from '../screen/unsaved.ts';
import { toErrorText, toIssueText } from '../screen/wording.tsx';
import { t } from '../text/text.ts';
import { useDraft } from './draft.ts';
import { Denial, isAllowed, type Verdict } from './verdict.tsx';
import { WithProof } from './with-proof.ts';

/** The values of a form by the names of its fields. */
export type FormValues = Readonly<Record<string, string>>;

/** What the fields of the surrounding form share. */
export const FieldState: React.Context<{
  /** The errors that the server found in them, by their names. */
  readonly errors: FormValues;
  /** Whether they only show what is there, as in a form that may not be sent. */
  readonly isReadOnly: boolean;
}> = createContext<{ readonly errors: FormValues; readonly isReadOnly: boolean }>({ errors: {}, isReadOnly: false });

/**
 * A form that sends its values, without the spaces around them. Errors appear next to their field, or else above the
 * button, and get the focus. If sending is not allowed, the form says why, and its fields are read-only; where it has
 * to wait, it counts down.
 */
export function Form<T>(props: {
  readonly label: string;
  readonly submit: string;
  readonly send: (values: FormValues) => Promise<ClientResult<T>>;
  readonly onSent?: (data: T) => void;
  /** Called with the name of the field whenever something is typed or chosen. */
  readonly onTyped?: (name: string) => void;
  /** Whether to empty the fields once they are sent. */
  readonly clears?: boolean;
  /** The name that what is half written is kept by, so that a reload does not lose it. Default: it is not kept. */
  readonly draft?: string;
  /** The values of fields that the user has not touched, where they can change while the form is open. */
  readonly untouched?: FormValues;
  readonly verdict?: Verdict | undefined;
  readonly className?: string;
  /** The look of its button. */
  readonly tone?: 'primary' | 'danger' | 'plain';
  readonly children?: ReactNode;
}): ReactElement {
  const { label, submit, send, onSent, clears = false, untouched, verdict, className = 'form', children } = props;
  const { tone = 'primary' } = props;
  const id = useId();
  const [pending, setPending] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const form = useKeptFocus<HTMLFormElement>();
  const draft = useDraft(form, props.draft);
  const withProof = use(WithProof);
  const allowed = isAllowed(verdict);
  const isDenied = verdict?.check?.allowed === false;

  useEffect(() => {
    if (refusal) form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [role="alert"]')?.focus();
  }, [form, refusal]);

  useLayoutEffect(() => {
    for (const [name, value] of Object.entries(untouched ?? {})) {
      const field = form.current?.elements.namedItem(name);
      if (field && 'value' in field && field.value !== value) field.value = value;
    }
    // A draft is kept anyway, and what is typed to confirm is no loss.
    if (form.current && props.draft === undefined && tone !== 'danger') rememberSaved(form.current, untouched);
  }, [form, untouched, props.draft, tone]);

  const onSubmit = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (pending || !allowed) return;
    const values = readValues(event.currentTarget);
    setPending(true);
    const result = await withProof(() => send(values));
    setPending(false);
    setRefusal(result.ok ? null : toRefusal(result.error, values));
    if (!result.ok) return;
    draft.forget();
    if (clears) form.current?.reset();
    onSent?.(result.data);
  };
  return (
    <form
      ref={form}
      aria-label={label}
      className={className}
      onChange={({ target }) => target instanceof HTMLElement && props.onTyped?.(target.getAttribute('name') ?? '')}
      onInput={draft.keep}
      onSubmit={(event) => void onSubmit(event)}
    >
      <FieldState value={{ errors: refusal?.fields ?? {}, isReadOnly: isDenied }}>{children}</FieldState>
      {refusal?.error && <RefusedForm error={refusal.error} onOver={() => setRefusal(null)} />}
      <button
        className={tone}
        aria-disabled={pending || !allowed}
        aria-busy={pending}
        aria-describedby={isDenied ? id : undefined}
      >
        {submit}
      </button>
      {verdict && <Denial of={verdict} id={id} />}
    </form>
  );
}

/** Passwords are sent as they are, with all their spaces. */
function readValues(form: HTMLFormElement): FormValues {
  const isPassword = (name: string): boolean =>
    form.elements.namedItem(name) instanceof HTMLInputElement && /password/i.test(name);
  const values = [...new FormData(form)].map(([name, value]) => {
    const text = typeof value === 'string' ? value : value.name;
    return [name, isPassword(name) ? text : text.trim()] as const;
  });
  return Object.fromEntries(values);
}

/** Why the server refused a form as a whole. One that has to wait is told for how long, second by second. */
function RefusedForm(props: { readonly error: ClientError; readonly onOver: () => void }): ReactElement {
  const { error, onOver } = props;
  const [left, setLeft] = useState(error.retryAfter);
  useEffect(() => {
    if (error.retryAfter === undefined) return;
    const end = Date.now() + error.retryAfter * 1000;
    const timer = setInterval(() => {
      const seconds = Math.ceil((end - Date.now()) / 1000);
      if (seconds > 0) setLeft(seconds);
      else onOver();
    }, 1000);
    return () => clearInterval(timer);
  }, [error, onOver]);
  const shown = left === undefined ? error : { ...error, retryAfter: left };
  return (
    <p role="alert" tabIndex={-1} className="error" aria-live={left === undefined ? undefined : 'off'}>
      {toErrorText(shown)}
    </p>
  );
}

/** Why the server refused a form: by fields, or else as a whole. */
interface Refusal {
  readonly fields: FormValues;
  readonly error: ClientError | null;
}

function toRefusal(error: ClientError, sent: FormValues): Refusal {
  const named = (error.issues ?? []).flatMap(({ path: [name], ...issue }) =>
    typeof name === 'string' && Object.hasOwn(sent, name) ? [[name, toIssueText(issue)] as const] : [],
  );
  // Each field shows its first issue only: later entries win, so the order is reversed.
  const fields = Object.fromEntries(named.toReversed());
  return { fields, error: named.length > 0 ? null : withIssue(error) };
}

/** Shows an issue that the form has no field for. */
function withIssue(error: ClientError): ClientError {
  const [issue] = error.issues ?? [];
  if (!issue || error.code !== 'VALIDATION_FAILED') return error;
  return { ...error, code: 'CONFLICT', message: `${t.errors.VALIDATION_FAILED ?? ''} ${toIssueText(issue)}` };
}
