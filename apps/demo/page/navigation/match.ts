import { type PathName, paths } from './paths.ts';

/** The place that an address names, with the values of its parameters. */
export interface Match {
  readonly name: PathName;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Finds what an address stands for; null if for nothing. */
export function matchPath(pathname: string): Match | null {
  const segments = pathname.split('/');
  for (const [name, pattern] of Object.entries(paths) as [PathName, string][]) {
    const wanted = pattern.split('/');
    if (wanted.length !== segments.length) continue;
    const parameters: Record<string, string> = {};
    const fits = wanted.every((part, index) => {
      const segment = segments[index] ?? '';
      if (!part.startsWith(':')) return part === segment;
      parameters[part.slice(1)] = decodePart(segment);
      return segment !== '';
    });
    if (fits) return { name, parameters };
  }
  return null;
}

/** Decodes a part of an address. A visitor can type any address: a part that is not encoded is taken as it is. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
