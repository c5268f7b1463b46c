import type { PathName } from '../navigation/paths.ts';

/** Where a screen is declared, and what it shows: files of the demo, and the parts of its API. */
interface Sources {
  /** Below `apps/demo`. */
  readonly screen: string;
  readonly data: readonly string[];
  /** The parts of the API reference. */
  readonly api: readonly string[];
}

const access = 'src/access/definition.ts';

const ofProject = {
  screen: 'page/project/project-screen.tsx',
  data: ['src/entities/projects.ts', 'src/entities/tasks.ts', 'src/entities/comments.ts', access],
  api: ['projects', 'tasks', 'comments'],
};

const ofOrganization = {
  screen: 'page/organization/organization-screen.tsx',
  data: ['src/entities/organizations.ts', access],
  api: ['organizations', 'invitations'],
};

/** The sources of the screens of a signed-in user, by their addresses. */
export const sources: Readonly<Partial<Record<PathName, Sources>>> = {
  home: {
    screen: 'page/home/home-screen.tsx',
    data: ['src/entities/announcements.ts', 'src/entities/tasks.ts', 'src/entities/projects.ts'],
    api: ['announcements', 'tasks', 'projects'],
  },
  projects: {
    screen: 'page/project/projects-screen.tsx',
    data: ['src/entities/projects.ts', access],
    api: ['projects'],
  },
  project: ofProject,
  projectPart: ofProject,
  notes: { screen: 'page/notes/notes-screen.tsx', data: ['src/entities/notes.ts'], api: ['notes'] },
  documents: { screen: 'page/documents/documents-screen.tsx', data: ['src/entities/documents.ts'], api: ['documents'] },
  vault: { screen: 'page/vault/vault-screen.tsx', data: ['src/entities/vault.ts'], api: ['vault'] },
  organization: ofOrganization,
  organizationPart: ofOrganization,
  account: { screen: 'page/account/account-screen.tsx', data: ['src/auth-options.ts'], api: ['auth'] },
  access: {
    screen: 'page/access/explorer-screen.tsx',
    data: ['src/access/access-service.ts', access],
    api: ['access'],
  },
};
