import type { Issue } from './errors.ts';

/** Says whether a value of unknown origin is an object and not an array, as a JSON object is. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Says whether a key of unknown origin could reach a prototype. */
export function isPrototypeKey(key: string): boolean {
  return prototypeKeys.has(key);
}

const prototypeKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** How deeply arrays and objects of an input may nest; the outermost counts as 1. */
const maxDepth = 32;

/**
 * Finds content that no input of any shape may contain: an own key that could reach a prototype, or over 32 levels of
 * arrays and objects. Such a key is refused and never dropped, because a filter without it would mean something else.
 *
 * Looks into arrays and plain objects, which is all that JSON has.
 *
 * @returns the first problem; null if there is none
 */
export function findInputProblem(value: unknown): Issue | null {
  return findProblem(value, []);
}

/** @param path - leads to the value; changed on the way, so that nothing is allocated per level */
function findProblem(value: unknown, path: (string | number)[]): Issue | null {
  if (typeof value !== 'object' || value === null) return null;
  if (path.length >= maxDepth) return { path: [], code: 'too_big', message: 'The input nests too deeply.' };
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      path.push(index);
      const problem = findProblem(value[index], path);
      if (problem) return problem;
      path.pop();
    }
    return null;
  }
  if (!isPlain(value)) return null;
  for (const key of Object.keys(value)) {
    path.push(key);
    if (isPrototypeKey(key)) return { path, code: 'unrecognized_keys', message: 'No object may have this key.' };
    const problem = findProblem((value as Readonly<Record<string, unknown>>)[key], path);
    if (problem) return problem;
    path.pop();
  }
  return null;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Converts a decimal numeral, as JSON and the query language write numbers, to a number that has all of its digits.
 *
 * @returns undefined if a double can't hold it: `1e400`, `1e-400`, `9007199254740993`, or more digits than it prints
 */
export function toExactNumber(numeral: string): number | undefined {
  const number = Number(numeral);
  // Any 15 digits fit into a double, if its size does.
  if (numeral.length <= 15 && Math.abs(number) > 1e-300 && Number.isFinite(number)) return number;
  const { digits, power } = toSignificant(numeral);
  if (digits === '') return number;
  if (digits.length > maxPrecision || !Number.isFinite(number)) return undefined;
  const printed = toSignificant(number.toPrecision(digits.length));
  return printed.digits === digits && printed.power === power ? number : undefined;
}

/** The most digits that `toPrecision` prints. */
const maxPrecision = 100;

const numeralPattern = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

/** Returns the digits of a numeral without zeros at their ends, and the power of ten of the first one. */
function toSignificant(numeral: string): { readonly digits: string; readonly power: number } {
  const [, whole = '', fraction = '', exponent = '0'] = numeralPattern.exec(numeral) ?? [];
  const all = whole + fraction;
  let [start, end] = [0, all.length];
  while (all[start] === '0') start += 1;
  while (end > start && all[end - 1] === '0') end -= 1;
  return { digits: all.slice(start, end), power: whole.length - 1 - start + Number(exponent) };
}
