import { type ComponentProps, type ReactElement, use, useId } from 'react';
import { FieldErrors } from './form.tsx';

/** One input of a form with its label, its hint, and what the server found wrong with it. */
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

/** The e-mail address that a user signs in with, unless `autoComplete` says otherwise. */
export function EmailField(props: { readonly autoComplete?: string; readonly label?: string }): ReactElement {
  const { autoComplete = 'username', label = 'E-mail address' } = props;
  return <Field label={label} name="email" type="email" autoComplete={autoComplete} />;
}

/** A code of an authenticator app, or a backup code. */
export function CodeField(props: { readonly hint?: string }): ReactElement {
  const { hint = 'Six digits of your authenticator app, or a backup code.' } = props;
  return <Field label="Code" name="code" autoComplete="one-time-code" spellCheck={false} hint={hint} />;
}

/** A new password, which browsers offer to generate. */
export function NewPasswordField(props: { readonly label?: string; readonly name?: string }): ReactElement {
  const { label = 'Password', name = 'password' } = props;
  const hint = 'At least 8 characters. A few words make a good one.';
  return <Field label={label} name={name} type="password" autoComplete="new-password" minLength={8} hint={hint} />;
}

/** An existing password, which browsers offer to fill in. */
export function PasswordField(props: {
  readonly label?: string;
  readonly name?: string;
  readonly hint?: string;
  readonly required?: boolean;
}): ReactElement {
  const { label = 'Password', name = 'password', ...field } = props;
  return <Field label={label} name={name} type="password" autoComplete="current-password" {...field} />;
}

/** A choice of one of several options. */
export function Select(props: {
  readonly label: string;
  readonly name: string;
  /** A plain string is both value and text. */
  readonly options: readonly (string | { readonly value: string; readonly text: string })[];
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

/** Narrows the value of a {@link Select} to one of its options; the first if it is none of them. */
export function chosenOf<const T extends string>(options: readonly [T, ...T[]], chosen: string | undefined): T {
  return options.find((option) => option === chosen) ?? options[0];
}
