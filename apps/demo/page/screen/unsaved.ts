/** What the fields of forms were given, by their names: of those that lose what is typed when they are closed. */
const given = new WeakMap<HTMLFormElement, Values>();

/** The values of fields. */
type Values = Readonly<Record<string, FormDataEntryValue>>;

/** Remembers what the fields of a form have now, or else the given ones, as saved. */
export function rememberSaved(form: HTMLFormElement, values: Values = valuesOf(form)): void {
  given.set(form, { ...given.get(form), ...values });
}

/**
 * Whether closing a dialog, or all that are open, loses what was typed or chosen there. Forms of choices or secrets
 * alone lose nothing.
 */
export function hasUnsaved(place: ParentNode | null = document): boolean {
  return formsIn(place).some((form) => {
    const before = given.get(form);
    if (!before || !form.querySelector('textarea, input[autocomplete="off"]')) return false;
    return Object.entries(valuesOf(form)).some(([name, value]) => value !== before[name]);
  });
}

/** Gives up what was typed or chosen in a dialog, or in all that are open, so that nothing asks for it any more. */
export function discardUnsaved(place: ParentNode | null = document): void {
  for (const form of formsIn(place)) given.delete(form);
}

function formsIn(place: ParentNode | null): readonly HTMLFormElement[] {
  return [...(place?.querySelectorAll<HTMLFormElement>('dialog form') ?? [])];
}

function valuesOf(form: HTMLFormElement): Values {
  return Object.fromEntries(new FormData(form));
}
