import { type RefObject, useLayoutEffect } from 'react';
import { client } from '../client/client.ts';

/** What is half written in a form, kept by the tab through a reload: for one user, until it is sent. */
interface Draft {
  /** Keeps what the fields have now. */
  readonly keep: () => void;
  readonly forget: () => void;
}

/** By the names of their fields. */
type Texts = Readonly<Record<string, string>>;

const prefix = 'tracker:draft ';

/**
 * Keeps the texts of a form, and shows them again when it appears.
 *
 * @param name - says which form it is, in the whole page; without one, nothing is kept
 */
export function useDraft(form: RefObject<HTMLFormElement | null>, name: string | undefined): Draft {
  const key = name === undefined ? null : `${ownPrefix()}${name}`;
  useLayoutEffect(() => {
    if (key === null) return;
    // Another user may have been signed in here, whose session has ended by itself.
    remove((each) => !each.startsWith(ownPrefix()));
    const kept = attempt(() => JSON.parse(sessionStorage.getItem(key) ?? '{}') as Texts) ?? {};
    const fields = listTexts(form.current).filter((field) => kept[field.name] !== undefined);
    for (const field of fields) field.value = kept[field.name] ?? '';
    // A form that is folded while it is empty unfolds.
    fields[0]?.dispatchEvent(new Event('input', { bubbles: true }));
  }, [form, key]);
  return {
    keep() {
      if (key === null) return;
      const texts = listTexts(form.current).filter(({ value }) => value !== '');
      const values = Object.fromEntries(texts.map(({ name: field, value }) => [field, value]));
      if (texts.length === 0) attempt(() => sessionStorage.removeItem(key));
      else attempt(() => sessionStorage.setItem(key, JSON.stringify(values)));
    },
    forget() {
      if (key !== null) attempt(() => sessionStorage.removeItem(key));
    },
  };
}

/** Forgets all drafts, in every tab. */
export function forgetDrafts(): void {
  remove(() => true);
  otherTabs?.postMessage(null);
}

const otherTabs = attempt(() => new BroadcastChannel('tracker:drafts'));
otherTabs?.addEventListener('message', () => remove(() => true));

function remove(isChosen: (key: string) => boolean): void {
  attempt(() => {
    const drafts = Object.keys(sessionStorage).filter((key) => key.startsWith(prefix));
    for (const key of drafts.filter(isChosen)) sessionStorage.removeItem(key);
  });
}

function ownPrefix(): string {
  return `${prefix}${client.session.getSnapshot().user?.id} `;
}

type TextField = HTMLInputElement | HTMLTextAreaElement;

/** The fields that are written in; a password is none of them. */
function listTexts(form: HTMLFormElement | null): readonly TextField[] {
  const isText = (field: Element): field is TextField =>
    field instanceof HTMLTextAreaElement || (field instanceof HTMLInputElement && field.type === 'text');
  return [...(form?.elements ?? [])].filter(isText);
}

/** Where the browser refuses storage, nothing is kept. */
function attempt<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
