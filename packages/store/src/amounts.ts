/** The maximum value of a wallet's counter. */
export const maxConsumed: number = Number.MAX_SAFE_INTEGER;

/** Throws `TypeError` for an invalid amount or quantity; they are positive safe integers. */
export function assertAmount(amount: number): void {
  if (!Number.isSafeInteger(amount) || amount < 1) throw new TypeError('An amount must be a positive safe integer.');
}

/** Throws `TypeError` for an invalid maximum; it is -1, 0 or a positive safe integer. */
export function assertMax(max: number): void {
  if (!Number.isSafeInteger(max) || max < -1) throw new TypeError('A limit must be -1, 0 or a positive safe integer.');
}

/** Throws `TypeError` for an invalid date. */
export function assertMoment(moment: Date): void {
  if (Number.isNaN(moment.getTime())) throw new TypeError('A date is not valid.');
}
