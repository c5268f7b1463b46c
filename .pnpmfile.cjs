// What pnpm is told of packages before it installs them (decisions/http.md).
module.exports = {
  hooks: {
    readPackage(manifest) {
      // The one file that we serve is bundled: the 270 packages that it was bundled from stay away.
      if (manifest.name === '@scalar/api-reference') manifest.dependencies = {};
      // It works with the compiler API, which TypeScript 7 does not have (decisions/tools-and-packages.md).
      if (manifest.name === 'openapi-typescript') {
        delete manifest.peerDependencies.typescript;
        manifest.dependencies.typescript = '^6.0.3';
      }
      // An optional peer, which pnpm would install here: 40 MB, of which the adapter uses one function.
      if (manifest.name === '@x/server') delete manifest.peerDependencies.next;
      return manifest;
    },
  },
};
