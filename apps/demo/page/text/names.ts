import { t } from './text.ts';

/** Names a role for people. */
export function roleName(role: string): string {
  return t.names.roles[role] ?? role;
}

/** Names a plan for people. */
export function planName(plan: string): string {
  return t.names.plans[plan] ?? plan;
}

/** Names an add-on for people: what it adds. */
export function addOnName(addOn: string): string {
  return t.names.addOns[addOn] ?? addOn;
}

/** Names an entitlement for people: what it allows. */
export function entitlementName(entitlement: string): string {
  return t.names.entitlements[entitlement] ?? entitlement;
}

/** Makes the options of a select of values that have names. */
export function toOptions(
  values: readonly string[],
  nameOf: (value: string) => string,
): readonly { readonly value: string; readonly text: string }[] {
  return values.map((value) => ({ value, text: nameOf(value) }));
}
