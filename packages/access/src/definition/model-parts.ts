/** Letters, digits and a few signs; no colon, which stands between names, and nothing that objects have by themselves. */
export const namePattern: RegExp = /^[A-Za-z][\w.-]*$/;

/** Finds what is wrong with a list of names. */
export function findListProblems(list: unknown, place: string, noun: string): readonly string[] {
  if (!Array.isArray(list)) return [`${place}: must be a list.`];
  return list.flatMap((item: unknown, index) => {
    if (typeof item !== 'string' || !namePattern.test(item)) {
      return [
        `${place}: a ${noun}'s name must start with a letter and contain only letters, digits and \`_.-\`: not \`${String(item)}\`.`,
      ];
    }
    return list.indexOf(item) < index ? [`${place}: \`${item}\` is there twice.`] : [];
  });
}

/** A setting that means nothing may be one that was misspelt, and then whatever it should forbid is allowed. */
export function findUnknown(value: object, place: string, known: readonly string[]): readonly string[] {
  return Object.keys(value)
    .filter((name) => !known.includes(name))
    .map((name) => `${place}: \`${name}\` means nothing here.`);
}

/** Reads a list, or an empty one where it is none. */
export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Reads the members of an object, or none where it is none. */
export function toEntries(value: unknown): readonly (readonly [string, unknown])[] {
  return isObject(value) ? Object.entries(value) : [];
}

/** Reads what an object has by itself, and nothing that all objects have. */
export function own(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

/** Whether a value is an object and no list. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
