import { readFileSync } from 'node:fs';
import type { Options } from 'tsup';

// Shared by every package and run in its folder: one output file for each entry that `exports` names.
// Declarations come from `tsc -b tsconfig.build.json --noCheck`, which the build script runs next: `check:types` has
// checked the sources, and `isolatedDeclarations` lets the compiler write declarations from each file alone.
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, string> };
const entries = Object.values(manifest.exports).filter((file) => /\.tsx?$/.test(file));

const options: Options = {
  entry: Object.fromEntries(entries.map((file) => [file.replace(/^\.\/src\/|\.tsx?$/g, ''), file])),
  format: 'esm',
  target: 'es2024',
  platform: 'node',
  sourcemap: true,
  dts: false,
  // The build info goes with the declarations that it vouches for, or `tsc -b` would not write them again.
  clean: ['.tsbuildinfo'],
};

export default options;
