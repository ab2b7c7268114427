import { type Clock, sleep } from '../../platform/clock.ts';
import type { Provider } from '../provider-port.ts';

/** Maximum wait. A service that does not answer must not delay the jobs of other providers any longer. */
const MAX_WAIT_MS = 10_000;

/**
 * Creates the function that waits for the first answers of all catalogues. Before its first answer, a model of a catalogue
 * accepts only a prompt. Work that another process has planned with its catalogue would then be rejected.
 */
export function createFirstAnswers(
  providers: readonly Pick<Provider, 'catalogue'>[],
  clock: Clock,
): (signal: AbortSignal) => Promise<void> {
  const answers = providers.flatMap(({ catalogue }) => catalogue?.firstAnswer ?? []);
  let isOver = answers.length === 0;

  /** Resolves when all answers are known, after the maximum wait, or when the signal aborts. */
  return async function answered(signal): Promise<void> {
    if (isOver) return;
    const waiting = new AbortController();
    const either = AbortSignal.any([signal, waiting.signal]);
    await Promise.race([Promise.all(answers), sleep(clock, MAX_WAIT_MS, either).catch(() => {})]);
    waiting.abort();
    isOver = true;
  };
}
