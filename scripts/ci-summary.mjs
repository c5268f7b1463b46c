// Prints `N passed, N failed, N skipped` from the reports of ci-tests.mjs and of `pnpm check`, each given as
// `FILE:EXIT-CODE`, and fails unless all passed. Each test counts as one, and so does each check step; a report that is
// missing counts as one failure.
// Above that line stands what failed, and what failed only at first, because the end of a long output is what a reader
// sees first.
import { readFileSync } from 'node:fs';
import { describeFailures } from './test-failures.mjs';

/** With more files, CI fails: a suite that fails without a fault of the code says nothing about the code. */
const mostFlakyFiles = 3;

const reports = process.argv.slice(2).map(countReport);
const flaky = reports.flatMap((report) => report.flaky);
const flakyFiles = new Set(flaky.map((failure) => failure.split(' > ')[0]));
const failures = reports.flatMap((report) => report.failures);
if (flakyFiles.size > mostFlakyFiles) failures.push(`${flakyFiles.size} files are flaky`);

for (const failure of flaky) console.log(`FLAKY ${failure}`);
for (const failure of failures) console.log(`FAILED ${failure}`);
if (flakyFiles.size > 0)
  console.log(`${flakyFiles.size} of at most ${mostFlakyFiles} files passed only alone; mend their cause first.`);
const sum = (key) => reports.reduce((total, report) => total + report[key], 0);
console.log(`${sum('passed')} passed, ${failures.length} failed, ${sum('skipped')} skipped`);
process.exitCode = failures.length === 0 ? 0 : 1;

function countReport(argument) {
  const [file, exitCode] = argument.split(':');
  const report = readJson(file);
  const counts = Array.isArray(report) ? countSteps(report) : countTests(report);
  // A run that failed without a failed test (a crash, an unhandled rejection) must not look like a success.
  if (exitCode === '0' || counts.failures.length > 0) return counts;
  return { ...counts, failures: [`${file} ended with ${exitCode}`] };
}

function countTests(report) {
  if (!report) return { passed: 0, skipped: 0, flaky: [], failures: ['a report is missing'] };
  const tests = report.testResults.flatMap((file) => file.assertionResults);
  const passed = tests.filter(({ status }) => status === 'passed').length;
  const failures = report.testResults.flatMap(describeFailures);
  const failed = tests.filter(({ status }) => status === 'failed').length;
  return { passed, skipped: tests.length - passed - failed, flaky: report.flaky ?? [], failures };
}

function countSteps(steps) {
  const passed = steps.filter((step) => step.passed).length;
  const failures = steps.filter((step) => !step.passed).map((step) => `check ${step.name}`);
  return { passed, skipped: 0, flaky: [], failures };
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
