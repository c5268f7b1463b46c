/** What the fields of forms were given, by their names: of those that lose what is typed when they are closed. */
const given = new WeakMap<HTMLFormElement, Values>();

/** The values of fields. */
type Values = Readonly<Record<string, FormDataEntryValue>>;

/** Remembers what the fields of a form have now, or else the given ones, as saved. */
export function rememberSaved(form: HTMLFormElement, values: Values = valuesOf(form)): void {
  given.set(form, { ...given.get(form), ...values });
}

/** Whether closing an element loses what was typed or chosen in it. Forms of choices or secrets alone lose nothing. */
export function hasUnsaved(element: Element | null): boolean {
  return [...(element?.querySelectorAll('form') ?? [])].some((form) => {
    const before = given.get(form);
    if (!before || !form.querySelector('textarea, input[autocomplete="off"]')) return false;
    return Object.entries(valuesOf(form)).some(([name, value]) => value !== before[name]);
  });
}

function valuesOf(form: HTMLFormElement): Values {
  return Object.fromEntries(new FormData(form));
}
