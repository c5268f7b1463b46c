import { type ComponentProps, type ReactElement, use, useId } from 'react';
import { FieldErrors } from './form.tsx';

/** One line of a form: its label, what helps to fill it in, and what was wrong with it. */
export function Field(
  props: ComponentProps<'input'> & { readonly label: string; readonly name: string; readonly hint?: string },
): ReactElement {
  const { label, hint, name, ...input } = props;
  const id = useId();
  const error = use(FieldErrors)[name];
  const describedBy = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        name={name}
        required
        aria-invalid={error !== undefined}
        aria-describedby={describedBy || undefined}
        {...input}
      />
      {hint && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="error">
          {error}
        </p>
      )}
    </div>
  );
}

/** The address that somebody signs in with. */
export function EmailField(props: { readonly autoComplete?: string; readonly label?: string }): ReactElement {
  const { autoComplete = 'username', label = 'E-mail address' } = props;
  return <Field label={label} name="email" type="email" autoComplete={autoComplete} />;
}

/** The code of an authenticator app, or one of those that were kept for when it is away. */
export function CodeField(props: { readonly hint?: string }): ReactElement {
  const { hint = 'Six digits of your authenticator app, or a backup code.' } = props;
  return <Field label="Code" name="code" autoComplete="one-time-code" spellCheck={false} hint={hint} />;
}

/** A password that somebody chooses. */
export function NewPasswordField(props: { readonly label?: string; readonly name?: string }): ReactElement {
  const { label = 'Password', name = 'password' } = props;
  const hint = 'At least 8 characters. A few words make a good one.';
  return <Field label={label} name={name} type="password" autoComplete="new-password" minLength={8} hint={hint} />;
}

/** The password that somebody has. */
export function PasswordField(props: {
  readonly label?: string;
  readonly name?: string;
  readonly hint?: string;
  readonly required?: boolean;
}): ReactElement {
  const { label = 'Password', name = 'password', ...field } = props;
  return <Field label={label} name={name} type="password" autoComplete="current-password" {...field} />;
}

/** What can be chosen, and what it is called. */
interface Option {
  readonly value: string;
  readonly text: string;
}

/** A choice of a form. */
export function Select(props: {
  readonly label: string;
  readonly name: string;
  /** A text is called what it is. */
  readonly options: readonly (Option | string)[];
  readonly defaultValue?: string;
}): ReactElement {
  const { label, name, options, defaultValue } = props;
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} name={name} defaultValue={defaultValue}>
        {options.map((option) => {
          const { value, text } = typeof option === 'string' ? { value: option, text: option } : option;
          return (
            <option key={value} value={value}>
              {text}
            </option>
          );
        })}
      </select>
    </div>
  );
}

/** Returns the one of some texts that a form says was chosen, or else the first. */
export function chosenOf<const T extends string>(options: readonly [T, ...T[]], chosen: string | undefined): T {
  return options.find((option) => option === chosen) ?? options[0];
}
