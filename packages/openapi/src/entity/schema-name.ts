/**
 * Builds the name of an entity's schema: `extra-notes` and `Page` become `ExtraNotesPage`. Two entities never share
 * one, because a hyphen that no letter follows becomes an underscore.
 */
export function toSchemaName(owner: string, part: string): string {
  const words = owner.replaceAll(/-(.?)/g, (_, next: string) => (/[a-z]/.test(next) ? next.toUpperCase() : `_${next}`));
  return `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}${part}`;
}
