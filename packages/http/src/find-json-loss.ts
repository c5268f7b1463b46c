import { type Issue, toExactNumber } from '@x/errors';

/**
 * Finds the data that parsing valid JSON would lose in silence: a name that an object has twice, of which only the last
 * would count, or a number with more digits than a double has.
 *
 * @returns the first such place; null if there is none
 * @see RFC 8259 sections 4 and 6, RFC 7493 sections 2.2 and 2.3
 */
export function findJsonLoss(json: string): Issue | null {
  const path: (string | number)[] = [];
  /** The names in each open object; null for an array. */
  const open: (Set<string> | null)[] = [];
  let isName = false;
  for (const [token] of json.matchAll(tokens)) {
    const names = open.at(-1);
    if (token === '{' || token === '[') {
      isName = token === '{';
      open.push(isName ? new Set() : null);
      path.push(0);
    } else if (token === '}' || token === ']') {
      isName = false;
      open.pop();
      path.pop();
    } else if (token === ',') {
      isName = names !== null;
      if (!isName) path.push(Number(path.pop()) + 1);
    } else if (isName) {
      const name = JSON.parse(token) as string;
      path[path.length - 1] = name;
      if (names?.has(name)) return { path, code: 'duplicate_key', message: 'The object has this key twice.' };
      names?.add(name);
      isName = false;
    } else if (!token.startsWith('"') && toExactNumber(token) === undefined) {
      return { path, code: 'not_exact', message: 'This number cannot be kept exactly. Send it as a text.' };
    }
  }
  return null;
}

/**
 * Texts, numbers and the brackets and commas around them; colons, white space, `true`, `false` and `null` do not
 * matter.
 */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|[[\]{},]/g;
