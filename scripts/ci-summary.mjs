// Prints `N passed, N failed, N skipped` from the reports of vitest and of `pnpm check`, each given as `FILE:EXIT-CODE`.
// Each test counts as one, and so does each check step; a report that is missing counts as one failure.
import { readFileSync } from 'node:fs';

const reports = process.argv.slice(2).map(countReport);
const sum = (key) => reports.reduce((total, report) => total + report[key], 0);
console.log(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);

function countReport(argument) {
  const [file, exitCode] = argument.split(':');
  const report = readJson(file);
  const counts = Array.isArray(report) ? countSteps(report) : countTests(report);
  // A run that failed without a failed test (a crash, an unhandled rejection) must not look like a success.
  return exitCode !== '0' && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

function countTests(report) {
  if (!report) return { passed: 0, failed: 1, skipped: 0 };
  // A file that could not be loaded has no tests to count.
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

function countSteps(steps) {
  const passed = steps.filter((step) => step.passed).length;
  return { passed, failed: steps.length - passed, skipped: 0 };
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
