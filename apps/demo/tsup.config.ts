import type { Options } from 'tsup';

// Two files to run with plain `node`: the demo, and the command that makes keys. Workspace packages and their
// pure-JavaScript dependencies are bundled; what package.json lists as a dependency stays outside, so native packages
// have to be listed there. Hono and zod are bundled all the same: 120 files less to read. What is imported only when it
// is needed gets files of its own.
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
