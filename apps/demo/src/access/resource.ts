/** Names an organization as a resource. */
export function organizationOf(id: string): { readonly type: 'organization'; readonly id: string } {
  return { type: 'organization', id };
}

/** Names a project as a resource. */
export function projectOf(id: string): { readonly type: 'project'; readonly id: string } {
  return { type: 'project', id };
}
