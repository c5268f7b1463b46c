import { ConfigurationError } from '@x/errors';
import { compileOperationRule, type RuleSubject } from '../rule/compile-operation-rule.ts';
import { type OperationRule, toOperationRule } from '../rule/operation-rule.ts';
import type { FieldAccess, FieldAccessMap } from './field-access.ts';

/** The rules of an entity's fields. */
export interface FieldRules {
  /** Of fields that not everybody is shown who may read the record. */
  readonly read: ReadonlyMap<string, OperationRule>;
  /** Of fields that not everybody may choose who may write the record. */
  readonly write: ReadonlyMap<string, OperationRule>;
}

/** What came of compiling rules of fields. */
export interface CompiledFields {
  readonly rules: FieldRules;
  readonly problems: readonly string[];
}

/** Compiles the rules of fields. Those that share a rule share what is made of it, so that a statement asks for it once. */
export function compileFields(name: string, fields: FieldAccessMap, subject: RuleSubject): CompiledFields {
  const compilation: Compilation = {
    place: `${name}.access.fields`,
    // The rules of operations hold callers to their tenant already.
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

const nobody = toOperationRule({ type: 'constant', value: false });
