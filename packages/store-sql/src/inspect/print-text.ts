/** Prints a text as a literal of TypeScript. */
export function printText(text: string): string {
  const quoted = JSON.stringify(text);
  if (text.includes("'") && !text.includes('"')) return quoted;
  return `'${quoted.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** Prints the text of a JSON value as an expression of TypeScript; null if it is none, or says null. */
export function printJson(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    return value === null ? null : printValue(value);
  } catch {
    return null;
  }
}

function printValue(value: unknown): string {
  if (typeof value === 'string') return printText(value);
  if (Array.isArray(value)) return `[${value.map(printValue).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).map(([name, each]) => `${printName(name)}: ${printValue(each)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function printName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : printText(name);
}
