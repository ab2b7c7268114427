import type { Charge, ChargedOutcome } from '../../lib/usage/charge.ts';

/** A charge that refuses nothing, and what happened to it. */
export function recordCharge() {
  const reserved: number[] = [];
  const settled: ChargedOutcome[] = [];
  const charge: Charge = {
    async reserve(images) {
      reserved.push(images);
    },
    async settle(outcome) {
      settled.push(outcome);
    },
  };
  return { charge, reserved, settled };
}
