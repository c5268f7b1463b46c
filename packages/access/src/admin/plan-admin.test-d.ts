import { expectTypeOf, it } from 'vitest';
import type { AccessModel, AddOnName, BasePlanName } from '../definition/access-model.ts';

interface Model extends AccessModel {
  readonly plans: {
    readonly pro: { readonly group: 'base'; readonly features: readonly [] };
    readonly badge: { readonly addOn: true };
  };
}

it('plans and add-ons are distinguished if the compiler knows their names', () => {
  expectTypeOf<BasePlanName<Model>>().toEqualTypeOf<'pro'>();
  expectTypeOf<AddOnName<Model>>().toEqualTypeOf<'badge'>();
  expectTypeOf<BasePlanName<AccessModel>>().toEqualTypeOf<string>();
  expectTypeOf<AddOnName<AccessModel>>().toEqualTypeOf<string>();
});
