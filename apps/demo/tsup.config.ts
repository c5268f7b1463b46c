import type { Options } from 'tsup';

// One file to start with plain `node`. Workspace packages and their pure-JavaScript dependencies are bundled;
// what package.json lists as a dependency stays outside, so native packages have to be listed there.
const options: Options = {
  entry: { main: 'src/main.ts' },
  format: 'esm',
  target: 'node26',
  platform: 'node',
  noExternal: [/^@x\//],
  // A bundled CommonJS package may still `require` a built-in module.
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  sourcemap: true,
  dts: false,
  clean: true,
};

export default options;
