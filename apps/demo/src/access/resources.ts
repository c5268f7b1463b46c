/** Builds the resource of an organization. */
export function organizationOf(id: string): { readonly type: 'organization'; readonly id: string } {
  return { type: 'organization', id };
}

/** Builds the resource of a project. */
export function projectOf(id: string): { readonly type: 'project'; readonly id: string } {
  return { type: 'project', id };
}
