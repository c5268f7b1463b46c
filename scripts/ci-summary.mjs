// Prints `N passed, N failed, N skipped` from vitest's JSON report and the report of `pnpm check`.
// Each test counts as one, and so does each check step; a report that is missing counts as one failure.
import { readFileSync } from 'node:fs';

const [testReport, checkReport, testExitCode, checkExitCode] = process.argv.slice(2);
const tests = countTests(readJson(testReport));
const checks = countChecks(readJson(checkReport));

// A run that failed without a failed test (a crash, an unhandled rejection) must not look like a success.
if (testExitCode !== '0' && tests.failed === 0) tests.failed = 1;
if (checkExitCode !== '0' && checks.failed === 0) checks.failed = 1;

const sum = (key) => tests[key] + checks[key];
console.log(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);

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

function countChecks(report) {
  if (!report) return { passed: 0, failed: 1, skipped: 0 };
  const passed = report.filter((step) => step.passed).length;
  return { passed, failed: report.length - passed, skipped: 0 };
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
