import { ConfigurationError } from '@x/errors';
import { compileOperationRule, type RuleSubject } from '../authorization/compile-operation-rule.ts';
import { type FieldRules, nobody, type OperationRule } from '../authorization/operation-rule.ts';
import type { FieldAccess, FieldAccessMap } from './entity.ts';

/** The outcome of compiling the rules of fields. */
export interface CompiledFields {
  readonly rules: FieldRules;
  readonly problems: readonly string[];
}

/**
 * Compiles the rules of fields. Fields that share a rule share its compiled form, so that a statement includes it once.
 */
export function compileFields(name: string, fields: FieldAccessMap, subject: RuleSubject): CompiledFields {
  const compilation: Compilation = {
    place: `${name}.access.fields`,
    // The rules of the operations already restrict callers to their tenant.
    subject: { ...subject, tenant: undefined },
    shared: new Map(),
    problems: [],
  };
  const read = compileSide(fields, 'read', compilation);
  const write = compileSide(fields, 'write', compilation);
  return { rules: Object.freeze({ read, write }), problems: compilation.problems };
}

interface Compilation {
  readonly place: string;
  readonly subject: RuleSubject;
  readonly shared: Map<unknown, OperationRule>;
  readonly problems: string[];
}

function compileSide(
  fields: FieldAccessMap,
  side: keyof FieldAccess,
  { place, subject, shared, problems }: Compilation,
): ReadonlyMap<string, OperationRule> {
  const rules = new Map<string, OperationRule>();
  for (const [field, access] of Object.entries(fields)) {
    const rule = access?.[side];
    if (rule === undefined) continue;
    try {
      const compiled =
        rule === false
          ? nobody
          : (shared.get(rule) ?? compileOperationRule(rule, subject, `${place}.${field}.${side}`));
      shared.set(rule, compiled);
      rules.set(field, compiled);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      problems.push(...error.problems);
    }
  }
  return rules;
}
