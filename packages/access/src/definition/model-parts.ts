/** Letters, digits and a few signs. No colon, which separates names, and not `__proto__`. */
export const namePattern: RegExp = /^[A-Za-z][\w.-]*$/;

/** Finds the problems of a list of names. */
export function findListProblems(list: unknown, place: string, noun: string): readonly string[] {
  if (!Array.isArray(list)) return [`${place}: must be a list.`];
  return list.flatMap((item: unknown, index) => {
    if (typeof item !== 'string' || !namePattern.test(item)) {
      return [
        `${place}: a ${noun}'s name must start with a letter and contain only letters, digits and \`_.-\`: not \`${String(item)}\`.`,
      ];
    }
    return list.indexOf(item) < index ? [`${place}: \`${item}\` is listed twice.`] : [];
  });
}

/** An unknown setting may be a misspelt one; ignoring it could allow what it was meant to forbid. */
export function findUnknown(value: object, place: string, known: readonly string[]): readonly string[] {
  return Object.keys(value)
    .filter((name) => !known.includes(name))
    .map((name) => `${place}: \`${name}\` is not a known setting.`);
}

/** Returns an array, or an empty one if the value is not an array. */
export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the entries of an object, or none if the value is not an object. */
export function toEntries(value: unknown): readonly (readonly [string, unknown])[] {
  return isObject(value) ? Object.entries(value) : [];
}

/** Reads an object's own property, never an inherited one. */
export function own(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

/** Says whether a value is an object and not an array. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
