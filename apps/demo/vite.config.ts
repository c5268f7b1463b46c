import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Plugin, UserConfig } from 'vite';

// The page that browsers load, bundled from the sources of the workspace, with no other origin in it.
const config: UserConfig = {
  root: 'page',
  // All that a page of this origin may load is a file: the server's policy has no `data:` and nothing inline.
  build: {
    outDir: '../dist/page',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: false,
    target: 'es2024',
    // One file has all that every visit needs, and another what several screens share: each further file would cost a
    // round trip.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'index', tags: ['$initial'], priority: 1 },
            { name: 'shared', minShareCount: 2 },
          ],
        },
      },
    },
  },
  oxc: { jsx: { runtime: 'automatic', development: false } },
  plugins: [compressAssets()],
};

export default config;

/** Puts each asset next to itself in the codings that the server sends it in, both as small as they get. */
function compressAssets(): Plugin {
  return {
    name: 'compress-assets',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        for (const [fileName, file] of Object.entries(bundle)) {
          if (!fileName.startsWith('assets/')) continue;
          const content = file.type === 'chunk' ? file.code : file.source;
          this.emitFile({ type: 'asset', fileName: `${fileName}.br`, source: brotliCompressSync(content) });
          this.emitFile({ type: 'asset', fileName: `${fileName}.gz`, source: gzipSync(content, { level: 9 }) });
        }
      },
    },
  };
}
