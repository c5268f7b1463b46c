/** A text that the browser keeps; empty at first. */
export interface StoredText {
  get(): string;
  set(text: string): void;
}

/** Returns the text at a key. Where the browser refuses storage, it lasts as long as the page. */
export function createStoredText(place: 'localStorage' | 'sessionStorage', key: string): StoredText {
  let current = attempt(() => globalThis[place].getItem(key)) ?? '';
  return {
    get: () => current,
    set(text) {
      current = text;
      attempt(() => globalThis[place].setItem(key, text));
    },
  };
}

function attempt<T>(use: () => T): T | null {
  try {
    return use();
  } catch {
    return null;
  }
}
