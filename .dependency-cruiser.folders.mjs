// Folders of one package import one way, as packages do. `pnpm check:imports` runs this over packages/ and apps/, too: a
// configuration of its own, because here tests don't count, nor does the folder `src` itself, where a package is wired.
import config from './.dependency-cruiser.mjs';

const tests = '\\.(test|test-d|suite)\\.tsx?$|/(test|tests|testing)/';
const wiring = '^(packages|apps)/[^/]+/src/[^/]+\\.tsx?$';

export default {
  forbidden: [
    {
      name: 'no-circles-between-folders',
      comment: 'Move what both folders need to the lower one, or to a folder below both.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^(packages|apps)/[^/]+/src/' },
      to: { circular: true },
    },
  ],
  options: { ...config.options, exclude: { path: [config.options.exclude.path, tests, wiring] } },
};
