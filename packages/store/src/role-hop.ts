/** A role as it is held on resources of one type. */
export interface RoleKind {
  readonly type: string;
  readonly role: string;
}

/** What one role on a parent becomes on its children of one type. */
export interface RoleHop {
  readonly parent: RoleKind;
  readonly child: RoleKind;
}
