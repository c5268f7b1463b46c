import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Manifest {
  readonly name: string;
  readonly description?: string;
  readonly keywords?: readonly string[];
  readonly license?: string;
  readonly type?: string;
  readonly private?: boolean;
  readonly files?: readonly string[];
  readonly engines?: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string>>;
  readonly publishConfig?: {
    readonly access?: string;
    readonly exports?: Readonly<Record<string, unknown>>;
  };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const packages = join(import.meta.dirname, '../..');

/** The packages that only tests use; all others are published. */
const ofTests = ['test-support', 'tests'];
const published = readdirSync(packages).filter((name) => !ofTests.includes(name));

it.each(ofTests)('packages/%s is never published', (name) => {
  const manifest = readJson(join(packages, name, 'package.json'));
  expect(manifest).toMatchObject({ name: `@x/${name}`, type: 'module', private: true });
});

describe.each(published)('packages/%s', (name) => {
  const folder = join(packages, name);
  const manifest = readJson(join(folder, 'package.json')) as Manifest;

  it('has a README and says what it is', () => {
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toContain(`# ${manifest.name}`);
    expect(manifest.description).toBeTruthy();
    expect(manifest.keywords?.length).toBeGreaterThan(0);
  });

  it('is a public ES module of this repository', () => {
    expect(manifest).toMatchObject({
      name: `@x/${name}`,
      license: 'MIT',
      type: 'module',
      files: ['dist', '!dist/.tsbuildinfo', ...(existsSync(join(folder, 'docs')) ? ['docs'] : [])],
      engines: { node: '>=22' },
      publishConfig: { access: 'public' },
    });
    expect(manifest.private).toBeUndefined();
  });

  it('names entry files that exist and publishes each as its built twin', () => {
    const entries = Object.entries(manifest.exports).filter(([, file]) => /\.tsx?$/.test(file));
    expect(entries.map(([, file]) => file).filter((file) => !existsSync(join(folder, file)))).toEqual([]);

    const twins = entries.map(([key, file]) => {
      const built = file.replace('./src/', './dist/').replace(/\.tsx?$/, '');
      return [key, { types: `${built}.d.ts`, default: `${built}.js` }];
    });
    expect(manifest.publishConfig?.exports).toEqual({
      ...Object.fromEntries(twins),
      './package.json': './package.json',
    });
  });

  it('builds its declarations after those of the packages it depends on', () => {
    const { references = [] } = readJson(join(folder, 'tsconfig.build.json')) as {
      references?: readonly { readonly path: string }[];
    };
    const needed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
    const dependencies = needed.filter((dependency) => dependency.startsWith('@x/'));
    const expected = dependencies.map((dependency) => dependency.replace('@x/', '../') + '/tsconfig.build.json');
    expect(references.map(({ path }) => path).toSorted()).toEqual(expected.toSorted());
  });
});

const examples = join(import.meta.dirname, '../../../examples');
const exampleNames = readdirSync(examples).filter((name) => existsSync(join(examples, name, 'package.json')));

describe.each(exampleNames)('examples/%s', (name) => {
  it.each(['hono', 'zod'])('asks for the versions of %s that the packages ask for', (library) => {
    const { dependencies = {} } = readJson(join(examples, name, 'package.json')) as Manifest;
    const ranges = new Set(readdirSync(packages).map((each) => peersOf(each)[library]));
    expect([...ranges].filter((range) => range !== undefined)).toEqual([dependencies[library]]);
  });
});

function peersOf(name: string): Readonly<Record<string, string>> {
  const { peerDependencies = {} } = readJson(join(packages, name, 'package.json')) as Manifest;
  return peerDependencies;
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}
