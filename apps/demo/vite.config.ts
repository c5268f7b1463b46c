import type { UserConfig } from 'vite';

// The page: what browsers load, bundled from the sources of the workspace, with no other origin in it.
const config: UserConfig = {
  root: 'page',
  // All that a page of this origin may load is a file: the server's policy has no `data:` and nothing inline.
  build: { outDir: '../dist/page', emptyOutDir: true, assetsInlineLimit: 0, modulePreload: false, target: 'es2024' },
  oxc: { jsx: { runtime: 'automatic', development: false } },
};

export default config;
