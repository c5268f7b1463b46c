import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, resolve } from 'node:path';

/** Names the sources of a bundle where a text has stack traces of it. Node would do so too, and start more slowly. */
export function toSourcePositions(text: string, bundle: string): string {
  if (!text.includes(`file://${bundle}:`)) return text;
  const map = new SourceMap(JSON.parse(readFileSync(`${bundle}.map`, 'utf8')) as SourceMapPayload);
  return text.replaceAll(/file:\/\/([^\s:]+):(\d+):(\d+)/g, (found, file: string, line: string, column: string) => {
    const entry = map.findEntry(Number(line) - 1, Number(column) - 1);
    if (file !== bundle || !('originalSource' in entry)) return found;
    return `${resolve(dirname(bundle), entry.originalSource)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}
