import { useState } from 'react';
import type { FormValues } from './form.tsx';

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

/** What the fields of a record show, and the version that they are of. */
export interface FieldsVersion {
  readonly values: FormValues;
  readonly etag: string;
}

/** The fields of a form that follow a record. */
interface FollowedFields {
  readonly shown: FieldsVersion;
  /** How often the user has changed a field since it was saved, by its name. */
  readonly touched: ReadonlyMap<string, number>;
  readonly onTyped: (name: string) => void;
  /** Shows a version instead of what was typed by now. */
  readonly take: (version: FieldsVersion) => void;
}

/**
 * Follows the newest version of a record, field by field: one that the user has touched stays, the others show what
 * other people have changed. Where those have changed a touched field, the version stays the one that the user knows, so
 * that the server refuses to overwrite theirs.
 */
export function useFollowedFields(newest: FieldsVersion): FollowedFields {
  const [shown, setShown] = useState(newest);
  const [seen, setSeen] = useState(newest.etag);
  const [touched, setTouched] = useState<ReadonlyMap<string, number>>(new Map());
  if (newest.etag !== seen) {
    setSeen(newest.etag);
    const kept = Object.entries(shown.values).filter(([name]) => touched.has(name));
    const isContested = kept.some(([name, value]) => newest.values[name] !== value);
    setShown({
      values: { ...newest.values, ...Object.fromEntries(kept) },
      etag: isContested ? shown.etag : newest.etag,
    });
  }
  return {
    shown,
    touched,
    onTyped: (name) => setTouched((before) => new Map(before).set(name, (before.get(name) ?? 0) + 1)),
    take(version) {
      setShown(version);
      // What is typed while the version is on its way stays touched.
      setTouched((now) => new Map([...now].filter(([name, times]) => times !== touched.get(name))));
    },
  };
}
