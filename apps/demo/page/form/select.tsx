import { type ReactElement, useId } from 'react';

/** What can be chosen, and what it is called. */
export interface Option {
  readonly value: string;
  readonly text: string;
}

/** A choice of a form. */
export function Select(props: {
  readonly label: string;
  readonly name: string;
  readonly options: readonly Option[];
  readonly defaultValue?: string;
}): ReactElement {
  const { label, name, options, defaultValue } = props;
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} name={name} defaultValue={defaultValue}>
        {options.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
