import { foldPredicate, type Predicate, type PredicateLeaf } from './predicate.ts';
import type { RuleValue } from './rules.ts';

/** Describes in words who may pass, for readers of API documentation. */
export function describeRule(predicate: Predicate): string {
  return foldPredicate<Words>(predicate, toWords, combine).text;
}

interface Words {
  readonly text: string;
  readonly isCombined: boolean;
}

function toWords(leaf: PredicateLeaf): Words {
  return { text: describeLeaf(leaf), isCombined: false };
}

function describeLeaf(leaf: PredicateLeaf): string {
  switch (leaf.type) {
    case 'constant':
      return leaf.value ? 'anybody' : 'nobody';
    case 'authenticated':
      return 'signed-in users';
    case 'accountRole':
      return `the account role ${leaf.roles.join(' or ')}`;
    case 'resourceRole':
      return `the role ${leaf.roles.join(' or ')} on the record`;
    case 'entitlement':
      return `the entitlement ${leaf.entitlement}`;
    case 'fva':
      return `a second factor within ${leaf.maxAgeSeconds} s`;
    case 'equals':
      return describeCondition(leaf.field, leaf.value);
  }
}

function describeCondition(field: string, value: RuleValue): string {
  if (value === null) return `${field} is empty`;
  if (typeof value !== 'object') return `${field} is ${JSON.stringify(value)}`;
  return `${field} is the caller's ${value.placeholder === 'user.id' ? 'id' : 'tenant'}`;
}

function combine(type: 'and' | 'or', parts: readonly Words[]): Words {
  const texts = parts.map(({ text, isCombined }) => (isCombined ? `(${text})` : text));
  return { text: texts.join(` ${type} `), isCombined: true };
}
