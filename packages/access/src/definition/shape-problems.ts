import { isRecord } from '../unknown-input.ts';

/** Letters, digits and a few signs. No colon, which separates names, and not `__proto__`. */
export const namePattern: RegExp = /^[A-Za-z][\w.-]*$/;

/** A part of the model with problems: where it is, and the noun for a name there. */
export interface NamedPlace {
  readonly place: string;
  readonly noun: string;
}

/** Finds the problems of a list of names. */
export function findListProblems(list: unknown, { place, noun }: NamedPlace): readonly string[] {
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

/** Returns an array, or an empty one if the value is not an array. */
export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the entries of an object, or none if the value is not an object. */
export function toEntries(value: unknown): readonly (readonly [string, unknown])[] {
  return isRecord(value) ? Object.entries(value) : [];
}
