import { readFileSync } from 'node:fs';
import type { Options } from 'tsup';

// Shared by every package and run in its folder: one output file for each entry that `exports` names.
// Declarations come from `tsc -b tsconfig.build.json`, which the build script runs next.
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
