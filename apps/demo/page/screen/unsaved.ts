/** What the fields of forms were given, by their names: of those that lose what is typed when they are closed. */
const given = new WeakMap<HTMLFormElement, Readonly<Record<string, string>>>();

/** Remembers what the fields of a form have now, or else the given ones, as saved. */
export function rememberSaved(form: HTMLFormElement, values: Readonly<Record<string, string>> = valuesOf(form)): void {
  given.set(form, { ...given.get(form), ...values });
}

/** Whether closing an element loses what was typed or chosen in it. A form of choices or secrets alone loses nothing. */
export function hasUnsaved(element: Element | null): boolean {
  return [...(element?.querySelectorAll('form') ?? [])].some((form) => {
    const before = given.get(form);
    if (!before || !form.querySelector('textarea, input[autocomplete="off"]')) return false;
    return Object.entries(valuesOf(form)).some(([name, value]) => value.trim() !== before[name]?.trim());
  });
}

function valuesOf(form: HTMLFormElement): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...new FormData(form)].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}
