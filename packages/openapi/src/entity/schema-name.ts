/**
 * Makes the names of an entity's schemas: `extra-notes` and `Page` make `ExtraNotesPage`. Two entities never share one: what
 * is no letter after a hyphen stays apart from it by an underscore.
 */
export function toSchemaName(owner: string, part: string): string {
  const words = owner.replaceAll(/-(.?)/g, (_, next: string) => (/[a-z]/.test(next) ? next.toUpperCase() : `_${next}`));
  return `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}${part}`;
}
