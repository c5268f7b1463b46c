import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** Describes what failed in a file, as vitest reports it: `<file> > <test>: <first line>`, or the file if it has no tests. */
export function describeFailures({ name, status, assertionResults }) {
  const file = relative(process.cwd(), name);
  // A file that could not be loaded has no tests.
  if (status === 'failed' && assertionResults.length === 0) return [file];
  return assertionResults
    .filter((test) => test.status === 'failed')
    .map((test) => `${file} > ${test.fullName}: ${firstLine(test)}`);
}

/** The first line of a failure, without colours, at most 200 characters. */
function firstLine(test) {
  return stripVTControlCharacters(test.failureMessages[0] ?? '')
    .split('\n', 1)[0]
    .slice(0, 200);
}
