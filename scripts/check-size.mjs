// Bundles what browsers load, as an app would, and checks its size against its budget: minified, gzipped, without React.
import { build } from 'esbuild';
import { gzipSync } from 'node:zlib';

const entries = [
  { name: '@x/client', file: 'packages/client/src/index.ts', maxBytes: 4000 },
  { name: '@x/client/react', file: 'packages/client/src/react.ts', maxBytes: 1000 },
  { name: '@x/client/list', file: 'packages/client/src/list.ts', maxBytes: 1700 },
  { name: '@x/client/react/list', file: 'packages/client/src/react/list.ts', maxBytes: 1700 },
  { name: '@x/client/cache', file: 'packages/client/src/cache.ts', maxBytes: 2000 },
  { name: '@x/client/import', file: 'packages/client/src/import.ts', maxBytes: 900 },
  { name: '@x/client/live', file: 'packages/client/src/live.ts', maxBytes: 900 },
];

for (const { name, file, maxBytes } of entries) {
  const { outputFiles, metafile } = await build({
    entryPoints: [file],
    bundle: true,
    minify: true,
    metafile: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2024',
    // An app without React has none.
    external: name.includes('react') ? ['react'] : [],
  });
  const bytes = gzipSync(outputFiles[0].contents, { level: 9 }).length;
  console.log(`${name}: ${bytes} of ${maxBytes} bytes`);
  if (bytes > maxBytes) process.exitCode = 1;

  // The types of other packages may be named, but none of their code may come along.
  const strangers = Object.keys(metafile.inputs).filter((input) => !/^packages\/(client|errors)\/src\//.test(input));
  for (const input of strangers) console.error(`${name} has ${input} in its bundle`);
  if (strangers.length > 0) process.exitCode = 1;
}
