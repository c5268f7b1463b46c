/** A role on resources of one type. */
export interface RoleKind {
  readonly type: string;
  readonly role: string;
}

/** Which role a role on a parent gives on its children of one type. */
export interface InheritanceRule {
  readonly parent: RoleKind;
  readonly child: RoleKind;
}
