/** Identifies something that roles are held on, such as one project. */
export interface Resource {
  /** The name of its type in the access definition. */
  readonly type: string;
  readonly id: string;
}
