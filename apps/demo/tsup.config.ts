import type { Options } from 'tsup';

// Two files to run with plain `node`: the demo, and the command that makes keys. Workspace packages and their
// pure-JavaScript dependencies are bundled; the dependencies in package.json stay outside, so native packages have to
// be listed there. Hono and zod are bundled all the same: 120 files less to read. Modules that are imported on demand
// get files of their own.
const options: Options = {
  entry: {
    main: 'src/main.ts',
    'make-keys': 'src/make-keys.ts',
  },
  format: 'esm',
  splitting: true,
  target: 'node26',
  platform: 'node',
  noExternal: [/^@x\//, 'hono', /^hono\//, 'zod'],
  // A bundled CommonJS package may still `require` a built-in module.
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  sourcemap: true,
  dts: false,
  clean: true,
};

export default options;
