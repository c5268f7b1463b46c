import { type ReactElement, useEffect, useState } from 'react';
import { navigate, usePlace, withQuery } from '../navigation/location.ts';

const pauseMs = 250;

/** Searches for what is typed, once typing pauses: the text becomes a parameter of the address. */
export function SearchField(props: { readonly label: string; readonly name: string }): ReactElement {
  const { label, name } = props;
  const searched = usePlace().query.get(name) ?? '';
  const [text, setText] = useState(searched);
  useEffect(() => {
    if (text.trim() === searched) return;
    const timer = setTimeout(() => navigate(withQuery({ [name]: text.trim() }), 'replace'), pauseMs);
    return () => clearTimeout(timer);
  }, [text, searched, name]);
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={({ target }) => setText(target.value)}
    />
  );
}
