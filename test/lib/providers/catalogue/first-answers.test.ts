import { describe, expect, it } from 'vitest';
import { createFirstAnswers } from '../../../../lib/providers/catalogue/first-answers.ts';
import type { ProviderCatalogue } from '../../../../lib/providers/provider-port.ts';
import { createManualClock } from '../../../support/manual-clock.ts';

const SIGNAL = new AbortController().signal;

/** A provider whose catalogue has its first answer when `answer` is called. */
function openProvider() {
  const { promise: firstAnswer, resolve: answer } = Promise.withResolvers<void>();
  // The cast is safe because only this member is read.
  return { provider: { catalogue: { firstAnswer } as ProviderCatalogue }, answer };
}

/** Returns a function that says if the promise has resolved. */
function isResolved(promise: Promise<void>): () => boolean {
  let resolved = false;
  void promise.then(() => {
    resolved = true;
  });
  return () => resolved;
}

describe('createFirstAnswers', () => {
  it('does not wait if no provider has a catalogue', async () => {
    await createFirstAnswers([{}], createManualClock())(SIGNAL);
  });

  it('waits until every catalogue has an answer, and only once', async () => {
    const clock = createManualClock();
    const [one, other] = [openProvider(), openProvider()];
    const answered = createFirstAnswers([one.provider, other.provider], clock);
    const first = answered(SIGNAL);
    const isOver = isResolved(first);

    one.answer();
    await clock.advance(1);
    const before = isOver();
    other.answer();
    await first;
    await answered(SIGNAL);

    expect(before).toBe(false);
    expect(clock.waiting).toBe(0);
  });

  it('waits at most ten seconds', async () => {
    const clock = createManualClock();
    const waiting = createFirstAnswers([openProvider().provider], clock)(SIGNAL);
    const isOver = isResolved(waiting);

    await clock.advance(9999);
    const before = isOver();
    await clock.advance(1);
    await waiting;

    expect(before).toBe(false);
  });

  it('stops waiting when the signal aborts', async () => {
    const stop = new AbortController();
    const clock = createManualClock();
    const waiting = createFirstAnswers([openProvider().provider], clock)(stop.signal);

    stop.abort();

    await waiting;
    expect(clock.waiting).toBe(0);
  });
});
