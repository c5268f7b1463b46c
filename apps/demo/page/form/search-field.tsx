import { type ReactElement, useEffect, useState } from 'react';
import { navigate, usePlace, withQuery } from '../navigation/location.ts';

const pauseMs = 250;

/** Searches for what is typed, once typing pauses: the text becomes a parameter of the address. */
export function SearchField(props: {
  readonly label: string;
  readonly name: string;
  /** Default: the label. */
  readonly placeholder?: string;
  /** The id of what says that the text is not understood, if it is not. */
  readonly problemId?: string | undefined;
}): ReactElement {
  const { label, name, placeholder = label, problemId } = props;
  const searched = usePlace().query.get(name) ?? '';
  const [text, setText] = useState(searched);
  const [known, setKnown] = useState(searched);
  // Something else has changed the address, such as Back.
  if (known !== searched) {
    setKnown(searched);
    if (text.trim() !== searched) setText(searched);
  }
  useEffect(() => {
    if (text.trim() === searched) return;
    const timer = setTimeout(() => navigate(withQuery({ [name]: text.trim() }), 'replace'), pauseMs);
    return () => clearTimeout(timer);
  }, [text, searched, name]);
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={placeholder}
      aria-invalid={problemId !== undefined}
      aria-describedby={problemId}
      value={text}
      onChange={({ target }) => setText(target.value)}
    />
  );
}
