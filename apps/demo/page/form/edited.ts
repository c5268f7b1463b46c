import { useState } from 'react';

/** A record in a form that changes it. */
interface Edited<T> {
  /** The version that the fields show, to be used as the key of the form: its newest, until something is typed. */
  readonly shown: T;
  readonly onTyped: () => void;
  readonly onSent: () => void;
}

/** Keeps what is typed into a form until it is sent, while other people change the same record. */
export function useEdited<T extends { readonly updatedAt: string }>(record: T): Edited<T> {
  const [shown, setShown] = useState(record);
  const [isTyped, setTyped] = useState(false);
  if (!isTyped && shown.updatedAt !== record.updatedAt) setShown(record);
  return { shown, onTyped: () => setTyped(true), onSent: () => setTyped(false) };
}

/** Returns the values that differ from those shown: the others may be newer by now than what the form shows. */
export function changesOf<T extends object>(values: T, shown: T): Partial<T> {
  const changed = Object.entries(values).filter(([name, value]) => value !== shown[name as keyof T]);
  return Object.fromEntries(changed) as Partial<T>;
}
