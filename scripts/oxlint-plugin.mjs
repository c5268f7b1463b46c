// House rules that oxlint has no option for; loaded by `jsPlugins` in .oxlintrc.json.

const isMember = (node, object, property) =>
  node.type === 'MemberExpression' &&
  node.object.type === 'Identifier' &&
  node.object.name === object &&
  node.property.type === 'Identifier' &&
  node.property.name === property;

/** An entry file is a table of contents: it names what it exports. */
const noExportAll = {
  create: (context) => ({
    ExportAllDeclaration(node) {
      context.report({ node, message: 'Name the exports: `export *` hides the public surface.' });
    },
  }),
};

/** Stores are handed a `Clock`, so they never ask the process for the time; `performance.now()` may measure a wait. */
const noAmbientClock = {
  create: (context) => ({
    MemberExpression(node) {
      if (isMember(node, 'Date', 'now')) {
        context.report({ node, message: 'Stores read the injected `Clock`, not the process clock.' });
      }
    },
    NewExpression(node) {
      if (node.callee.type === 'Identifier' && node.callee.name === 'Date' && node.arguments.length === 0) {
        context.report({ node, message: 'Stores read the injected `Clock`, not the process clock.' });
      }
    },
  }),
};

/** Ids, salts and hashes are parameters of a store's methods. */
const noAmbientRandomness = {
  create: (context) => ({
    MemberExpression(node) {
      const isRandom =
        isMember(node, 'Math', 'random') ||
        isMember(node, 'crypto', 'randomUUID') ||
        isMember(node, 'crypto', 'getRandomValues');
      if (isRandom) context.report({ node, message: 'Stores make no randomness: take the value as a parameter.' });
    },
  }),
};

export default {
  meta: { name: 'house' },
  rules: {
    'no-export-all': noExportAll,
    'no-ambient-clock': noAmbientClock,
    'no-ambient-randomness': noAmbientRandomness,
  },
};
