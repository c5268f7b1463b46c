/** The plans, the smallest first. */
export const plans = ['free', 'pro', 'enterprise'] as const;
