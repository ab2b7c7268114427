import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { BridgeError } from '../../api/schemas.ts';
import type { Jobs } from '../../jobs/jobs.ts';

const KEPT = 500;

/** Why jobs failed: lists hold only the code, so that a card reads the rest once it is seen. Keeps the latest 500. */
export function createJobErrors(jobs: Jobs) {
  const errors = new Map<string, Signal<BridgeError | undefined>>();

  async function read(id: string, error: Signal<BridgeError | undefined>): Promise<void> {
    try {
      error.value = (await jobs.read(id)).error;
    } catch {
      // The code has to do; the card asks again when it is seen again.
      errors.delete(id);
    }
  }

  return {
    /** `undefined` until it is known. */
    get(id: string): ReadonlySignal<BridgeError | undefined> {
      let error = errors.get(id);
      if (error === undefined) {
        error = signal<BridgeError | undefined>(undefined);
        errors.set(id, error);
        const [oldest] = errors.keys();
        if (errors.size > KEPT && oldest !== undefined) errors.delete(oldest);
        void read(id, error);
      }
      return error;
    },
  };
}
