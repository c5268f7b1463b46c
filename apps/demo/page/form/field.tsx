import { Eye, EyeOff } from 'lucide-react';
import { type ComponentProps, type ReactElement, type ReactNode, use, useId, useState } from 'react';
import { useUser } from '../client/queries.ts';
import { t } from '../text/text.ts';
import { FieldState } from './form.tsx';

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: string;
}

/**
 * One input of a form with its label, its hint, and the error that the server found in it. Browsers fill in what
 * `autoComplete` names, and else nothing.
 */
export function Field(props: ComponentProps<'input'> & FieldProps & { readonly beside?: ReactNode }): ReactElement {
  const { label, hint, name, beside, ...input } = props;
  return (
    <Labelled label={label} name={name} hint={hint}>
      {(attributes) => {
        // One that is read-only and empty would show the pattern of a date, as if there were something to fill in.
        const isBlankDate = attributes.readOnly && input.type === 'date' && !input.defaultValue;
        const type = isBlankDate ? 'text' : input.type;
        const field = <input name={name} required autoComplete="off" {...attributes} {...input} type={type} />;
        return beside ? (
          <span className="with-button">
            {field}
            {beside}
          </span>
        ) : (
          field
        );
      }}
    </Labelled>
  );
}

/** A text of several lines. */
export function TextArea(props: ComponentProps<'textarea'> & FieldProps): ReactElement {
  const { label, hint, name, ...input } = props;
  return (
    <Labelled label={label} name={name} hint={hint}>
      {(attributes) => <textarea name={name} rows={4} {...attributes} {...input} />}
    </Labelled>
  );
}

interface InputAttributes {
  readonly id: string;
  readonly readOnly: boolean;
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby': string | undefined;
}

function Labelled(props: {
  readonly label: string;
  readonly name: string;
  readonly hint: string | undefined;
  readonly children: (attributes: InputAttributes) => ReactNode;
}): ReactElement {
  const { label, name, hint, children } = props;
  const id = useId();
  const { errors, isReadOnly } = use(FieldState);
  const error = errors[name];
  const describedBy = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        readOnly: isReadOnly,
        'aria-invalid': error !== undefined,
        'aria-describedby': describedBy || undefined,
      })}
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
export function EmailField(props: {
  readonly autoComplete?: string;
  readonly label?: string;
  readonly placeholder?: string;
}): ReactElement {
  const { autoComplete = 'username', label = t.entry.email, placeholder } = props;
  return <Field label={label} name="email" type="email" autoComplete={autoComplete} placeholder={placeholder} />;
}

/** A code of an authenticator app, or a backup code. */
export function CodeField(props: { readonly hint?: string; readonly autoFocus?: boolean }): ReactElement {
  return (
    <Field
      label={t.entry.code}
      name="code"
      autoComplete="one-time-code"
      spellCheck={false}
      hint={t.entry.codeHint}
      {...props}
    />
  );
}

/** A new password, which browsers offer to generate; says how good it is. */
export function NewPasswordField(props: { readonly label?: string; readonly name?: string }): ReactElement {
  const { label = t.entry.password, name = 'password' } = props;
  const [strength, setStrength] = useState<number | null>(null);
  return (
    <div className="stack tight">
      <SecretField
        label={label}
        name={name}
        autoComplete="new-password"
        minLength={8}
        hint={t.entry.newPasswordHint}
        onChange={({ target: { value } }) => setStrength(value === '' ? null : estimateStrength(value))}
      />
      {strength !== null && (
        <div className="strength" data-strength={strength}>
          <meter min={0} max={4} value={strength} aria-hidden />
          <span className="hint">{t.entry.strength[strength]}</span>
        </div>
      )}
    </div>
  );
}

/** How hard a password is to guess, from 0 to 4: by its length and its kinds of characters. */
function estimateStrength(password: string): number {
  if (password.length < 8) return 0;
  const kinds = [/\p{Ll}/u, /\p{Lu}/u, /\d/, /[^\p{L}\d]/u].filter((kind) => kind.test(password)).length;
  const bits = new Set(password).size * (2 + kinds);
  return 1 + [30, 45, 60].filter((enough) => bits >= enough).length;
}

/** An existing password, which browsers offer to fill in. */
export function PasswordField(props: {
  readonly label?: string;
  readonly name?: string;
  readonly hint?: string;
  readonly required?: boolean;
}): ReactElement {
  const { label = t.entry.password, name = 'password', ...field } = props;
  return <SecretField label={label} name={name} autoComplete="current-password" {...field} />;
}

/** Tells password managers whose password a form is about, where it does not ask for that. */
export function OwnUsername(): ReactElement {
  return <input type="email" autoComplete="username" value={useUser().email} readOnly hidden />;
}

/** A field whose value is hidden on the screen, unless the user shows it. */
function SecretField(props: ComponentProps<'input'> & FieldProps): ReactElement {
  const [isShown, setShown] = useState(false);
  const Icon = isShown ? EyeOff : Eye;
  return (
    <Field
      {...props}
      type={isShown ? 'text' : 'password'}
      beside={
        <label className="reveal">
          <input
            type="checkbox"
            className="unseen"
            aria-label={t.entry.show}
            checked={isShown}
            onChange={() => setShown(!isShown)}
          />
          <Icon aria-hidden />
        </label>
      }
    />
  );
}

/** A choice of one of several options. Browsers have none that is read-only: one that may not be changed is off. */
export function Select(
  props: Omit<ComponentProps<'select'>, 'children'> & {
    readonly label: string;
    readonly name: string;
    /** A plain string is both value and text. */
    readonly options: readonly (string | { readonly value: string; readonly text: string })[];
  },
): ReactElement {
  const { label, options, ...select } = props;
  const id = useId();
  const { isReadOnly } = use(FieldState);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} disabled={isReadOnly} {...select}>
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
