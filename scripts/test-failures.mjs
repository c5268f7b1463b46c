import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** Describes what failed in a file, as vitest reports it: `<file> > <test>: <first line>`, or `<file>: <first line>` if no test did. */
export function describeFailures({ name, status, message, assertionResults }) {
  const file = relative(process.cwd(), name);
  const failed = assertionResults.filter((test) => test.status === 'failed');
  // A file that could not be loaded has no tests, and one whose hook failed may have none that did.
  if (status === 'failed' && failed.length === 0) return [`${file}: ${firstLine(message)}`];
  return failed.map((test) => `${file} > ${test.fullName}: ${firstLine(test.failureMessages[0] ?? '')}`);
}

/** The first line of a failure, without colours, at most 200 characters. */
function firstLine(message) {
  return stripVTControlCharacters(message).split('\n', 1)[0].slice(0, 200);
}
