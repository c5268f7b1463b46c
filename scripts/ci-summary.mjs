// Prints `N passed, N failed, N skipped` from the reports of vitest and of `pnpm check`, each given as `FILE:EXIT-CODE`.
// Each test counts as one, and so does each check step; a report that is missing counts as one failure.
// Above that line stands what failed, because the end of a long output is what a reader sees first.
import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

const reports = process.argv.slice(2).map(countReport);
for (const failure of reports.flatMap((report) => report.failures)) console.log(`FAILED ${failure}`);
const sum = (key) => reports.reduce((total, report) => total + report[key], 0);
console.log(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);

function countReport(argument) {
  const [file, exitCode] = argument.split(':');
  const report = readJson(file);
  const counts = Array.isArray(report) ? countSteps(report) : countTests(report);
  // A run that failed without a failed test (a crash, an unhandled rejection) must not look like a success.
  if (exitCode === '0' || counts.failed > 0) return counts;
  return { ...counts, failed: 1, failures: [`${file} ended with ${exitCode}`] };
}

function countTests(report) {
  if (!report) return { passed: 0, failed: 1, skipped: 0, failures: ['a report is missing'] };
  // A file that could not be loaded has no tests to count.
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles.length,
    skipped: report.numPendingTests + report.numTodoTests,
    failures: [
      ...brokenFiles.map((file) => file.name),
      ...report.testResults.flatMap((file) =>
        file.assertionResults
          .filter((test) => test.status === 'failed')
          .map((test) => `${file.name} > ${test.fullName}: ${firstLine(test)}`),
      ),
    ],
  };
}

function countSteps(steps) {
  const passed = steps.filter((step) => step.passed).length;
  const failures = steps.filter((step) => !step.passed).map((step) => `check ${step.name}`);
  return { passed, failed: failures.length, skipped: 0, failures };
}

/** The first line of a failure, without colours, at most 200 characters. */
function firstLine(test) {
  return stripVTControlCharacters(test.failureMessages[0] ?? '')
    .split('\n', 1)[0]
    .slice(0, 200);
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
