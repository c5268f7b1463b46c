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
