// Runs a tier of the tests for .ci/run: `node scripts/ci-tests.mjs <test | test:full> <report>`. A file that fails is run
// once more, alone. The report is that of ci-reporter.mjs, with the second outcome of such a file instead of its first, and
// what failed only the first time as `flaky`.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { describeFailures } from './test-failures.mjs';

/** With more, something is wrong with the code or with the machine, and running them again would only take time. */
const mostFilesAgain = 3;

const [task, reportFile] = process.argv.slice(2);
const first = run([], reportFile);
const failed = first.report?.testResults.filter((file) => file.status === 'failed') ?? [];
// A run may also fail without a file, as by a crash.
const isWorthAnother = first.code !== 0 && failed.length > 0 && failed.length <= mostFilesAgain;
process.exitCode = isWorthAnother ? runAgain(first.report, failed) : first.code;

function runAgain(report, files) {
  let code = 0;
  const flaky = [];
  for (const file of files) {
    const path = relative(process.cwd(), file.name);
    console.log(`\nOnce more, alone: ${path}`);
    const again = run([path], `${reportFile}.again`);
    const outcome = again.report?.testResults.find(({ name }) => name === file.name);
    if (again.code === 0 && outcome?.status === 'passed') flaky.push(...describeFailures(file));
    else code = 1;
    if (outcome) report.testResults[report.testResults.indexOf(file)] = outcome;
  }
  writeFileSync(reportFile, JSON.stringify({ ...report, flaky }));
  return code;
}

function run(filters, outputFile) {
  rmSync(outputFile, { force: true });
  const reporters = ['--reporter=default', '--reporter=./scripts/ci-reporter.mjs', `--outputFile.json=${outputFile}`];
  const { status } = spawnSync('npm', ['run', task, '--', ...filters, ...reporters], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return { code: status ?? 1, report: readReport(outputFile) };
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
