// Reports a run for ci-tests.mjs as vitest's own reporter does, but an error that nothing caught fails the file that it
// came from, which that reporter leaves out.
import { JsonReporter } from 'vitest/node';

export default class CiReporter extends JsonReporter {
  async onTestRunEnd(modules, errors) {
    for (const error of errors) {
      const task = modules.find(({ moduleId }) => moduleId === error.VITEST_TEST_PATH)?.task;
      if (task) task.result = { ...task.result, state: 'fail', errors: [error, ...(task.result?.errors ?? [])] };
    }
    await super.onTestRunEnd(modules);
  }
}
